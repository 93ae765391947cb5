import { flood } from "../door.ts";

export default flood(
  "hold up others with hundreds of tiny assets",
  `
for n in range(400):
  path = os.path.join(os.environ["NARRATORIA_ASSET_DIR"], f"{n}.txt")
  with open(path, "w") as file: file.write(str(n))
  say(type="asset", assetId=str(n), kind="text", mediaType="text/plain", path=path)`,
);
