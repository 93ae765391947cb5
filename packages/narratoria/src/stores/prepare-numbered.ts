/**
 * A statement whose values have numbers (`?1`), each to stand as often as it is needed. Node binds those only from
 * some 22 on, and the oldest that runs us does not: here they are names.
 */
import type { DatabaseSync, SQLInputValue, SQLOutputValue } from "node:sqlite";

type Row = Record<string, SQLOutputValue>;

export interface NumberedStatement {
  get(...values: SQLInputValue[]): Row | undefined;
  all(...values: SQLInputValue[]): Row[];
  iterate(...values: SQLInputValue[]): Iterable<Row>;
  run(...values: SQLInputValue[]): void;
}

export function prepareNumbered(db: DatabaseSync, sql: string): NumberedStatement {
  const statement = db.prepare(sql.replaceAll(/\?(\d)/g, ":v$1"));
  return {
    get: (...values) => statement.get(named(values)),
    all: (...values) => statement.all(named(values)),
    iterate: (...values) => statement.iterate(named(values)),
    run: (...values) => void statement.run(named(values)),
  };
}

function named(values: readonly SQLInputValue[]): Record<string, SQLInputValue> {
  return Object.fromEntries(values.map((value, index) => [`v${index + 1}`, value]));
}
