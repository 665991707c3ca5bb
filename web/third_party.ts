import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Plugin } from "vite";

interface Package {
  name: string;
  version: string;
  license?: string;
  author?: string | { name?: string };
}

/** The folder of the package that a module lies in; none for the page's own. */
function packageOf(module: string): string | undefined {
  const file = module.replace(/^\0/, "").replace(/\?.*$/, "");
  if (!file.includes("/node_modules/")) return undefined;
  for (let at = dirname(file); at.includes("/node_modules/"); at = dirname(at)) {
    const described = join(at, "package.json");
    if (existsSync(described) && "version" in JSON.parse(readFileSync(described, "utf8")))
      return at;
  }
  return undefined;
}

/** Name, licence and licence text of a package, as Markdown. Throws where it names no licence. */
function told(folder: string): string {
  const { name, version, license, author }: Package = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  const texts = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  if (!license)
    throw new Error(`${name} names no licence: leave it out, or say here which it has.`);
  const by = (typeof author === "string" ? author : author?.name) ?? "its authors";
  const text = texts.map((file) => readFileSync(join(folder, file), "utf8").trim()).join("\n\n");
  return `## ${name} ${version} (${license})\n\n${text || `Copyright (c) ${by}. Its package carries no licence text.`}\n`;
}

/**
 * Writes `third-party.md` beside the page: every package that is built into it, with its licence.
 *
 * Vite's own `build.license` knows neither what workers use nor fonts of style sheets.
 */
export function thirdParty(): { page: Plugin; worker: () => Plugin[] } {
  const folders = new Set<string>();
  const collect = (modules: Iterable<string>) => {
    for (const module of modules) {
      const folder = packageOf(module);
      if (folder) folders.add(folder);
    }
  };
  return {
    worker: () => [
      {
        name: "third-party-of-worker",
        generateBundle() {
          collect(this.getModuleIds());
        },
      },
    ],
    page: {
      name: "third-party",
      generateBundle(_, bundle) {
        collect(this.getModuleIds());
        for (const file of Object.values(bundle)) {
          if (file.type === "asset") collect(file.originalFileNames.map((name) => resolve(name)));
        }
        const packages = [...new Set([...folders].map(told))].sort();
        const head =
          "# What others wrote of this page\n\nThe page of Manole is built of its own code and of these packages.\n";
        this.emitFile({
          type: "asset",
          fileName: "third-party.md",
          source: [head, ...packages].join("\n"),
        });
      },
    },
  };
}
