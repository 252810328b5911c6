// Cases for the published client postgrest-js: each prints its name and what the client made of the answer.
//
//     node cases.mjs URL TOKEN STORE
//
// STORE is sqlite or postgres: what needs PostgreSQL is run there alone, behind a line that says so.

import { createRequire } from "node:module";

// The package is in the folder that the test has installed it in, not beside this file.
const { PostgrestClient } = createRequire(process.cwd() + "/")("@supabase/postgrest-js");
const [url, token, store] = process.argv.slice(2);
const client = new PostgrestClient(url, { headers: { Authorization: token } });
const table = (name) => client.from(name);

async function told(name, request) {
  const { data, error, count, status } = await request().retry(false);
  const { code, message, details, hint } = error ?? {};
  const shown = error ? "error " + JSON.stringify({ code, message, details, hint }) : JSON.stringify(data);
  console.log(`${name}\n    ${status} ${shown}${count === null || count === undefined ? "" : ` of ${count}`}`);
}

console.log("# Rows.");
await told("all columns", () => table("team").select().order("id"));
await told("columns", () => table("driver").select("id, name").order("name"));
await told("alias", () => table("driver").select("id, driver:name").eq("id", 10));
await told("neq", () => table("driver").select("id").neq("id", 10));
await told("gt and lte", () => table("driver").select("id").gt("points", 30).lte("points", 50));
await told("gte and lt", () => table("driver").select("id").gte("points", 30).lt("points", 50));
await told("is null", () => table("driver").select("id").is("team_id", null));
await told("not is null", () => table("driver").select("id").not("team_id", "is", null));
await told("distinct", () => table("driver").select("id").isDistinct("team_id", 1));
await told("like", () => table("driver").select("id").like("name", "%a%"));
await told("ilike", () => table("driver").select("id").ilike("name", "m%"));
await told("like all of", () => table("driver").select("id").likeAllOf("name", ["%a%", "%M%"]));
await told("ilike any of", () => table("driver").select("id").ilikeAnyOf("name", ["m%", "s%"]));
await told("regex", () => table("driver").select("id").regexMatch("name", "^M"));
await told("in", () => table("driver").select("id").in("name", ["Vettel, S.", "Max"]));
await told("not in", () => table("driver").select("id").notIn("id", [10, 12]));
await told("or", () => table("driver").select("id").or("points.lt.35,team_id.is.null"));
await told("match", () => table("driver").select("id").match({ team_id: 1, points: 30 }));
await told("filter", () => table("driver").select("id").filter("points", "not.gt", 40));
await told("json", () => table("car").select("id, data->color, color:data->>color").eq("data->>color", "red"));

console.log("# Orders and ranges.");
await told("order", () => table("driver").select("id").order("points", { ascending: false, nullsFirst: false }).order("id"));
await told("limit", () => table("driver").select("id").order("id").limit(2));
await told("range", () => table("driver").select("id").order("id").range(1, 2));
await told("count", () => table("driver").select("id", { count: "exact" }).order("id").limit(1));
await told("count alone", () => table("driver").select("*", { count: "exact", head: true }));
await told("order by related", () => table("driver").select("name, team(name)").order("team(name)", { ascending: false }).order("id"));

console.log("# Single rows.");
await told("single", () => table("driver").select("id, name").eq("id", 10).single());
await told("no single", () => table("driver").select("id").eq("id", 99).single());
await told("maybe", () => table("driver").select("id").eq("id", 10).maybeSingle());
await told("maybe none", () => table("driver").select("id").eq("id", 99).maybeSingle());
await told("maybe several", () => table("driver").select("id").maybeSingle());

console.log("# Related rows.");
await told("to one", () => table("driver").select("name, team(name)").order("id"));
await told("to many", () => table("team").select("name, driver(name)").order("id"));
await told("inner", () => table("driver").select("name, team!inner(name)").eq("team.name", "Red").order("id"));
await told("through a junction", () => table("race").select("name, driver(name)").order("id"));
await told("limit of related", () =>
  table("team").select("name, driver(name)").order("id").order("points", { referencedTable: "driver" }).limit(1, { referencedTable: "driver" }));
await told("or of related", () =>
  table("team").select("name, driver(name)").order("id").or("points.gt.40,points.is.null", { referencedTable: "driver" }));
await told("spread", () => table("driver").select("name, ...team(team:name)").order("id"));
await told("no relationship", () => table("race").select("name, team(name)"));

console.log("# Forms.");
await told("csv", () => table("driver").select("id, name, points").order("id").csv());
await told("without nulls", () => table("driver").select("id, name, points, team_id").order("id").stripNulls());

console.log("# Writes.");
await told("insert", () => table("team").insert({ id: 4, name: "Green" }));
await told("insert and select", () => table("team").insert({ id: 5, name: "Grey" }).select("name").single());
await told("insert many", () =>
  table("team").insert([{ id: 6, name: "Gold", color: "gold" }, { id: 7, name: "Pink" }], { defaultToNull: false }).select());
await told("insert nulls", () => table("team").insert([{ id: 8, name: "Teal", color: "teal" }, { id: 9, name: "Tan" }]).select());
await told("upsert", () => table("team").upsert({ id: 4, name: "Greener", color: "green" }).select());
await told("upsert by name", () => table("team").upsert({ id: 5, name: "Grey", color: "grey" }, { onConflict: "name" }).select());
await told("upsert that ignores", () => table("team").upsert({ id: 5, name: "Other" }, { ignoreDuplicates: true }).select());
await told("update", () => table("team").update({ color: "lime" }).eq("id", 4));
await told("update and select", () => table("driver").update({ points: 31 }).eq("id", 11).select("name, team(name)"));
await told("delete", () => table("team").delete({ count: "exact" }).in("id", [8, 9]));
await told("too many", () => table("team").delete().gt("id", 5).maxAffected(1));
await told("undone", () => table("team").delete().gt("id", 5).rollback().select("id"));
await told("left", () => table("team").select("*").order("id"));

console.log("# Mistakes.");
await told("no table", () => table("nothing").select("*"));
await told("no column", () => table("team").select("nope"));
await told("no column in a body", () => table("team").insert({ id: 20, nope: 1 }));
await told("a wrong value", () => table("car").select("id").eq("id", "x"));
await told("a taken key", () => table("team").insert({ id: 1, name: "Again" }));
await told("a missing reference", () => table("driver").insert({ id: 20, name: "x", team_id: 99 }));
await told("another schema", () => client.schema("other").from("team").select("id"));

if (store === "sqlite") {
  console.log("# Refused by SQLite.");
  await told("contains", () => table("car").select("id").contains("data", { color: "red" }));
  await told("text search", () => table("driver").select("id").textSearch("name", "max"));
  await told("function", () => client.rpc("add", { a: 1, b: 2 }));
} else {
  console.log("# PostgreSQL alone.");
  await told("array contains", () => table("kit").select("id").contains("tags", ["a"]));
  await told("array contained", () => table("kit").select("id").containedBy("tags", ["a", "b", "c d"]));
  await told("array overlaps", () => table("kit").select("id").overlaps("tags", ["c d", "z"]));
  await told("json contains", () => table("kit").select("id").contains("data", { a: 1 }));
  await told("range contains", () => table("kit").select("id").contains("during", "[3,4)"));
  await told("range overlaps", () => table("kit").select("id").overlaps("during", "[4,11)"));
  await told("range left", () => table("kit").select("id").rangeLt("during", "[5,9)"));
  await told("range adjacent", () => table("kit").select("id").rangeAdjacent("during", "[5,9)"));
  await told("text search", () => table("kit").select("id").textSearch("note", "'fast' & 'light'", { config: "english" }));
  await told("text search of the web", () => table("kit").select("id").textSearch("words", "heavy or light", { type: "websearch" }));
  await told("regex in any case", () => table("kit").select("id").regexIMatch("note", "^LIGHT"));
  await told("casts", () => table("driver").select("id::text, points::numeric").eq("id", 10));
  await told("scalar", () => client.rpc("add", { a: 1, b: 2 }));
  await told("scalar by GET", () => client.rpc("add", { a: 1, b: 2 }, { get: true }));
  await told("rows", () => client.rpc("fast", { lowest: 35 }).select("id, name").order("id", { ascending: false }));
  await told("filtered rows", () => client.rpc("fast", { lowest: 0 }, { get: true }).select("name, team(name)").eq("team_id", 1).order("id"));
  await told("counted rows", () => client.rpc("fast", { lowest: 0 }, { count: "exact" }).select("id").order("id").limit(1));
  await told("count alone", () => client.rpc("fast", { lowest: 0 }, { count: "exact", head: true }));
  await told("one row", () => client.rpc("fast", { lowest: 45 }).single());
  await told("a row", () => client.rpc("fastest"));
  await told("values", () => client.rpc("numbers", { most: 3 }));
  await told("nothing", () => client.rpc("touch", { driver_id: 10 }));
  await told("an array", () => client.rpc("joined", { parts: ["a", "b c"] }));
  await told("an array by GET", () => client.rpc("joined", { parts: ["a", "b c"] }, { get: true }));
  await told("no function", () => client.rpc("nothing"));
  await told("raised", () => client.rpc("fail"));
}
