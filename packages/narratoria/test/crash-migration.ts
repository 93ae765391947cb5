/**
 * A host that is killed while it migrates the file given: at the statement of that number, or, with "end", when all is
 * done but the commit. It prints how many statements there were. `old-databases.test.ts` starts it.
 */
import { writeSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { migrate } from "../src/stores/migrations/migrate.ts";
import { numberPerSession } from "../src/stores/migrations/number-per-session.ts";
import { takeOutRows } from "../src/stores/migrations/take-out-rows.ts";

const [file = "", moment = "end"] = process.argv.slice(2);
const db = new DatabaseSync(file);
// A small cache: what was changed so far lies on the disk already.
db.exec("PRAGMA journal_mode = WAL; PRAGMA cache_size = 4;");
let statements = 0;
const exec = db.exec.bind(db);
const prepare = db.prepare.bind(db);
const count = (): void => {
  if (String(statements++) === moment) process.kill(process.pid, "SIGKILL");
};
db.exec = (sql) => {
  count();
  exec(sql);
};
db.prepare = (sql, options) => {
  const statement = prepare(sql, options);
  return new Proxy(statement, {
    get(target, name) {
      if (name === "run") count();
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? (member.bind(target) as unknown) : member;
    },
  });
};
migrate(db, [
  () => {
    numberPerSession(db);
    if (moment === "end") process.kill(process.pid, "SIGKILL");
  },
  () => {
    takeOutRows(db);
    writeSync(1, String(statements));
  },
]);
// The commit is done; the rest of opening is not.
process.kill(process.pid, "SIGKILL");
