// Calls of clients that openapi-typescript types: what compiles here is what a user writes.
import assert from "node:assert/strict";

import createClient from "openapi-fetch";

import type { paths as Music } from "./music.js";
import type { components, paths as Season } from "./season.js";

// Pages and items, and the problems that errors are.
type Json = "application/json" | "application/problem+json";

const base = process.argv[2];
const season = createClient<Season, Json>({ baseUrl: `${base}/ords/hr` });

// Pages, typed items, filters.
const q = JSON.stringify({ points: { $gte: 0 }, $orderby: { name: "ASC" } });
const page = await season.GET("/team/", { params: { query: { q, limit: 2, count: "exact" } } });
assert.ok(page.data);
const names: (string | undefined)[] = page.data.items.map((team) => team.name);
assert.equal(names.length, 2);
assert.ok((page.data.total ?? 0) > 2);
// Without `fields` all members are there.
type Team = Required<components["schemas"]["TeamItem"]>;
const teams = page.data.items as Team[];
assert.ok(teams.every((team) => team.name.length > 0 && team.links.length > 0));
const chosen = await season.GET("/team_dv/{_id}", {
  params: { path: { _id: 301 }, query: { fields: "name" } },
});
assert.equal(chosen.data?.name, "Red Bull");
assert.equal(chosen.data?.driver, undefined);

// A search takes what it needs alone.
const found = await season.POST("/driver/search", { body: { q: { name: { $like: "Max%" } } } });
assert.equal(found.data?.items[0]?.name, "Max Verstappen");

// Writes.
const made = await season.POST("/team/", { body: { team_id: 900, name: "Haas", points: 0 } });
assert.equal(made.response.status, 201);
const path = { team_id: 900 };
const changed = await season.PATCH("/team/{team_id}", { params: { path }, body: { points: 7 } });
assert.equal(changed.data?.points, 7);
const counted = await season.PATCH("/team/", {
  params: { query: { q: JSON.stringify({ team_id: 900 }) } },
  body: { points: 8 },
});
assert.equal(counted.data?.rowsUpdated, 1);
const gone = await season.DELETE("/team/{team_id}", { params: { path } });
assert.equal(gone.data?.rowsDeleted, 1);

// Errors are typed, and lead to a page about them.
const missing = await season.GET("/team/{team_id}", { params: { path } });
assert.equal(missing.data, undefined);
assert.equal(missing.error?.errors[0]?.code, "DUET-1002");
const about = await fetch(new URL(missing.error!.type, base));
assert.equal(about.status, 200);

// Other forms: a plan, rows, a stream.
const planner = createClient<Season, "application/vnd.duet.plan+json">({ baseUrl: `${base}/ords/hr` });
const plan = await planner.GET("/team/", { params: { query: { q, explain: 1 } } });
assert.ok((plan.data?.plan.length ?? 0) > 0);
const rows = createClient<Season, "application/json; profile=rows">({
  baseUrl: `${base}/ords/hr`,
  headers: { Accept: "application/json; profile=rows" },
});
const bare = await rows.GET("/team/", { params: { query: { limit: 1 } } });
assert.equal(bare.data?.length, 1);
const lines = await season.GET("/team/", {
  headers: { Accept: "application/x-ndjson" },
  parseAs: "text",
});
assert.ok(String(lines.data).trim().split("\n").length > 2);

const music = createClient<Music, Json>({ baseUrl: `${base}/ords/chinook` });
const album = await music.GET("/album/{album_id}", { params: { path: { album_id: 1 } } });
assert.ok(album.data?.title);
const keyed = await music.GET("/playlist_track/{playlist_id},{track_id}", {
  params: { path: { playlist_id: 1, track_id: 3402 } },
});
assert.equal(keyed.response.status, 200);

console.log("TypeScript: all calls were answered as their types say");
