/** A host that is killed when it has migrated the file given, before it could commit. `old-databases.test.ts` starts it. */
import { DatabaseSync } from "node:sqlite";
import { migrate } from "../src/stores/migrations/migrate.ts";
import { numberPerSession } from "../src/stores/migrations/number-per-session.ts";

const db = new DatabaseSync(process.argv[2] ?? "");
// A small cache: what was changed so far lies on the disk already.
db.exec("PRAGMA journal_mode = WAL; PRAGMA cache_size = 4;");
migrate(db, [
  () => {
    numberPerSession(db);
    process.kill(process.pid, "SIGKILL");
  },
]);
