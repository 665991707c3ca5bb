import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { de } from "../src/language/de";
import { en } from "../src/language/en";
import { toAsk } from "../src/welcome/examples";
import { crumbs, shortPath, typedPath } from "../src/welcome/paths";

const names = (path: string, home: string) => crumbs(path, home).map((crumb) => crumb.name);

describe("the way to a folder", () => {
  it("begins at home where the folder lies in it", () => {
    expect(crumbs("/home/mara/Letters/2024", "/home/mara")).toEqual([
      { name: "Home", path: "/home/mara" },
      { name: "Letters", path: "/home/mara/Letters" },
      { name: "2024", path: "/home/mara/Letters/2024" },
    ]);
    expect(names("/home/mara", "/home/mara")).toEqual(["Home"]);
  });

  it("begins at the top elsewhere, also beside a home of a similar name", () => {
    expect(names("/", "/home/mara")).toEqual(["This machine"]);
    expect(crumbs("/home/mara2", "/home/mara").at(-1)).toEqual({
      name: "mara2",
      path: "/home/mara2",
    });
    expect(names("/home/mara2", "/home/mara")).toEqual(["This machine", "home", "mara2"]);
  });

  it("knows drives", () => {
    expect(crumbs("D:\\Papers\\2024", "C:\\Users\\mara")).toEqual([
      { name: "D:\\", path: "D:\\" },
      { name: "Papers", path: "D:\\Papers" },
      { name: "2024", path: "D:\\Papers\\2024" },
    ]);
  });

  it("is written short within the home folder only", () => {
    expect(shortPath("/home/mara/Letters", "/home/mara")).toBe("~/Letters");
    expect(shortPath("/home/mara", "/home/mara")).toBe("your home folder");
    expect(shortPath("/home/mara2", "/home/mara")).toBe("/home/mara2");
    expect(shortPath("/srv", "/home/mara")).toBe("/srv");
  });

  it("can be typed whole, from home, or from where one is", () => {
    expect(typedPath(" /srv/papers ", "/home/mara")).toBe("/srv/papers");
    expect(typedPath("~/Letters", "/srv")).toBe("~/Letters");
    expect(typedPath("Letters", "/home/mara")).toBe("/home/mara/Letters");
    expect(typedPath("srv", "/")).toBe("/srv");
  });
});

describe("the questions to begin with", () => {
  const asked = readFileSync("../examples/household.questions.jsonl", "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { question: string; answerable: boolean });

  const { ofExample, ofAny } = en.welcome.read;

  it.each([...ofExample, ...ofAny, ...de.welcome.read.ofAny])("are measured: %s", (question) => {
    expect(asked.find((item) => item.question === question)?.answerable).toBe(true);
  });

  it("keep their signs in the address", () => {
    const address = toAsk("E04 & a+b?");
    expect(new URLSearchParams(address.split("?")[1]).get("q")).toBe("E04 & a+b?");
  });
});
