"""Cases for the published client postgrest-py: each prints its name and what the client made of the answer.

    cases.py URL TOKEN STORE

STORE is sqlite or postgres: what needs PostgreSQL is run there alone, behind a line that says so.
"""

import json
import sys

from postgrest import CountMethod, SyncPostgrestClient
from postgrest.exceptions import APIError

URL, TOKEN, STORE = sys.argv[1:]
client = SyncPostgrestClient(URL, headers={"Authorization": TOKEN}, retry_enabled=False)


def table(name):
    return client.from_(name)


def shown(answer):
    if answer is None:
        return "None"
    if isinstance(answer, str):
        return answer
    count = getattr(answer, "count", None)
    text = json.dumps(answer.data, ensure_ascii=False) if not isinstance(answer.data, str) else repr(answer.data)
    return text if count is None else f"{text} of {count}"


def case(name, request):
    try:
        print(f"{name}\n    {shown(request().execute())}")
    except APIError as error:
        text = json.dumps({"code": error.code, "message": error.message, "details": error.details, "hint": error.hint})
        print(f"{name}\n    error {text}")


print("# Rows.")
case("all columns", lambda: table("team").select("*").order("id"))
case("columns", lambda: table("driver").select("id", "name").order("name"))
case("alias", lambda: table("driver").select("id, driver:name").eq("id", 10))
case("eq", lambda: table("driver").select("id").eq("name", "Max"))
case("neq", lambda: table("driver").select("id").neq("id", 10))
case("gt and lte", lambda: table("driver").select("id").gt("points", 30).lte("points", 50))
case("gte and lt", lambda: table("driver").select("id").gte("points", 30).lt("points", 50))
case("is null", lambda: table("driver").select("id").is_("team_id", "null"))
case("is None", lambda: table("driver").select("id").is_("team_id", None))
case("not is null", lambda: table("driver").select("id").not_.is_("team_id", "null"))
case("like", lambda: table("driver").select("id").like("name", "%a%"))
case("ilike", lambda: table("driver").select("id").ilike("name", "m%"))
case("like all of", lambda: table("driver").select("id").like_all_of("name", "%a%,%M%"))
case("ilike any of", lambda: table("driver").select("id").ilike_any_of("name", "m%,s%"))
case("in", lambda: table("driver").select("id").in_("id", [10, 12]))
case("in with commas", lambda: table("driver").select("id").in_("name", ["Vettel, S.", "Max"]))
case("not in", lambda: table("driver").select("id").not_.in_("id", [10, 12]))
case("or", lambda: table("driver").select("id").or_("points.lt.35,team_id.is.null"))
case("not or", lambda: table("driver").select("id").not_.or_("points.lt.35,team_id.is.null"))
case("or with and", lambda: table("driver").select("id").or_("id.eq.10,and(points.gt.35,points.lt.45)"))
case("match", lambda: table("driver").select("id").match({"team_id": 1, "points": 30}))
case("filter", lambda: table("driver").select("id").filter("points", "not.gt", "40"))
case("json", lambda: table("car").select("id, data->color, color:data->>color").eq("data->>color", "red"))

print("# Orders and ranges.")
case("order", lambda: table("driver").select("id").order("points", desc=True, nullsfirst=False).order("id"))
case("nulls first", lambda: table("driver").select("id").order("points", nullsfirst=True))
case("limit", lambda: table("driver").select("id").order("id").limit(2))
case("range", lambda: table("driver").select("id").order("id").range(1, 2))
case("offset", lambda: table("driver").select("id").order("id").offset(3))
case("count", lambda: table("driver").select("id", count=CountMethod.exact).order("id").limit(1))
case("count alone", lambda: table("driver").select("id", count=CountMethod.exact, head=True))
case("behind all", lambda: table("driver").select("id", count=CountMethod.exact).range(90, 99))

print("# Single rows.")
case("single", lambda: table("driver").select("id, name").eq("id", 10).single())
case("no single", lambda: table("driver").select("id").eq("id", 99).single())
case("several", lambda: table("driver").select("id").single())
case("maybe", lambda: table("driver").select("id").eq("id", 10).maybe_single())
case("maybe none", lambda: table("driver").select("id").eq("id", 99).maybe_single())
case("maybe several", lambda: table("driver").select("id").maybe_single())

print("# Related rows.")
case("to one", lambda: table("driver").select("name, team(name)").order("id"))
case("to many", lambda: table("team").select("name, driver(name)").order("id"))
case("inner", lambda: table("driver").select("name, team!inner(name)").eq("team.name", "Red").order("id"))
case("through a junction", lambda: table("race").select("name, driver(name)").order("id"))
case("order of related", lambda: table("team").select("name, driver(name)").order("id").order("points", desc=True, foreign_table="driver"))
case("limit of related", lambda: table("team").select("name, driver(name)").order("id").limit(1, foreign_table="driver"))
case("or of related", lambda: table("team").select("name, driver(name)").order("id").or_("points.gt.40,points.is.null", reference_table="driver"))
case("spread", lambda: table("driver").select("name, ...team(team:name)").order("id"))
case("no relationship", lambda: table("race").select("name, team(name)"))

print("# Forms.")
case("csv", lambda: table("driver").select("id, name, points").order("id").csv())
case("without nulls", lambda: table("driver").select("id, name, points, team_id").order("id").strip_nulls())
case("one without nulls", lambda: table("driver").select("id, points, team_id").eq("id", 13).strip_nulls().single())

print("# Writes.")
case("insert", lambda: table("team").insert({"id": 4, "name": "Green"}))
case("insert many", lambda: table("team").insert([{"id": 5, "name": "Grey"}, {"id": 6, "name": "Gold", "color": "gold"}], default_to_null=False))
case("insert nulls", lambda: table("team").insert([{"id": 7, "name": "Pink"}, {"id": 8, "name": "Teal", "color": "teal"}]))
case("insert quietly", lambda: table("team").insert({"id": 9, "name": "Quiet"}, returning="minimal"))
case("insert and count", lambda: table("team").insert({"id": 10, "name": "Count"}, count=CountMethod.exact))
case("upsert", lambda: table("team").upsert({"id": 4, "name": "Greener", "color": "green"}))
case("upsert many", lambda: table("team").upsert([{"id": 4, "name": "Greenest"}, {"id": 11, "name": "New"}]))
case("upsert by name", lambda: table("team").upsert({"id": 5, "name": "Grey", "color": "grey"}, on_conflict="name"))
case("upsert that ignores", lambda: table("team").upsert({"id": 5, "name": "Other"}, ignore_duplicates=True))
case("update", lambda: table("team").update({"color": "lime"}).eq("id", 4))
case("update and select", lambda: table("driver").update({"points": 31}).eq("id", 11).select("name, team(name)"))
case("update none", lambda: table("team").update({"color": "lime"}).eq("id", 99))
case("update quietly", lambda: table("team").update({"color": "x"}, returning="minimal").eq("id", 4))
case("delete", lambda: table("team").delete().eq("id", 11))
case("delete by in", lambda: table("team").delete(count=CountMethod.exact).in_("id", [9, 10]))
case("too many", lambda: table("team").delete().gt("id", 5).max_affected(1))
case("left", lambda: table("team").select("*").order("id"))

print("# Mistakes.")
case("no table", lambda: table("nothing").select("*"))
case("no column", lambda: table("team").select("nope"))
case("no column in a filter", lambda: table("team").select("id").eq("nope", 1))
case("no column in a body", lambda: table("team").insert({"id": 20, "nope": 1}))
case("a wrong value", lambda: table("car").select("id").eq("id", "x"))
case("a taken key", lambda: table("team").insert({"id": 1, "name": "Again"}))
case("a missing reference", lambda: table("driver").insert({"id": 20, "name": "x", "team_id": 99}))
case("a missing value", lambda: table("driver").insert({"id": 20}))
case("a wrong operator", lambda: table("team").select("id").filter("id", "noop", "1"))
case("another schema", lambda: client.schema("other").from_("team").select("id"))
client = client.schema("public")

if STORE == "sqlite":
    print("# Refused by SQLite.")
    case("contains", lambda: table("car").select("id").contains("data", {"color": "red"}))
    case("text search", lambda: table("driver").select("id").text_search("name", "max"))
    case("function", lambda: client.rpc("add", {"a": 1, "b": 2}))
else:
    print("# PostgreSQL alone.")
    case("array contains", lambda: table("kit").select("id").contains("tags", ["a"]))
    case("array contained", lambda: table("kit").select("id").contained_by("tags", ["a", "b", "c d"]))
    case("array overlaps", lambda: table("kit").select("id").ov("tags", ["c d", "z"]))
    case("json contains", lambda: table("kit").select("id").contains("data", {"a": 1}))
    case("json contained", lambda: table("kit").select("id").contained_by("data", {"a": 1, "b": [1, 2], "c": 3}))
    case("range contains", lambda: table("kit").select("id").contains("during", "[3,4)"))
    case("range overlaps", lambda: table("kit").select("id").ov("during", "[4,11)"))
    case("range left", lambda: table("kit").select("id").range_lt("during", [5, 9]))
    case("range right", lambda: table("kit").select("id").range_gt("during", [1, 5]))
    case("range not left", lambda: table("kit").select("id").range_gte("during", [5, 9]))
    case("range not right", lambda: table("kit").select("id").range_lte("during", [1, 5]))
    case("range adjacent", lambda: table("kit").select("id").range_adjacent("during", [5, 9]))
    case("words", lambda: table("kit").select("id").fts("note", "light & fast"))
    case("plain words", lambda: table("kit").select("id").plfts("note", "fast light"))
    case("phrase", lambda: table("kit").select("id").phfts("note", "light and"))
    case("web words", lambda: table("kit").select("id").wfts("note", "light -slow"))
    case("text search", lambda: table("kit").select("id").text_search("note", "'fast' & 'light'", options={"config": "english"}))
    case("text search of the web", lambda: table("kit").select("id").text_search("words", "heavy or light", options={"type": "web_search"}))
    case("casts", lambda: table("driver").select("id::text, points::numeric").eq("id", 10))
    case("aggregates", lambda: table("driver").select("points.sum()"))
    case("scalar", lambda: client.rpc("add", {"a": 1, "b": 2}))
    case("scalar by GET", lambda: client.rpc("add", {"a": 1, "b": 2}, get=True))
    case("default", lambda: client.rpc("add", {"a": 1}))
    case("rows", lambda: client.rpc("fast", {"lowest": 35}).select("id, name").order("id", desc=True))
    case("filtered rows", lambda: client.rpc("fast", {"lowest": 0}, get=True).select("name, team(name)").eq("team_id", 1).order("id"))
    case("counted rows", lambda: client.rpc("fast", {"lowest": 0}, count=CountMethod.exact).select("id").order("id").limit(1))
    case("one row", lambda: client.rpc("fast", {"lowest": 45}).single())
    case("a row", lambda: client.rpc("fastest", {}))
    case("a table", lambda: client.rpc("totals", {}).order("team"))
    case("values", lambda: client.rpc("numbers", {"most": 3}))
    case("nothing", lambda: client.rpc("touch", {"driver_id": 10}))
    case("an array", lambda: client.rpc("joined", {"parts": ["a", "b c"]}))
    case("csv", lambda: client.rpc("fast", {"lowest": 35}).select("id, name").order("id").csv())
    case("overloads", lambda: client.rpc("twice", {"text_value": "ab"}))
    case("other overload", lambda: client.rpc("twice", {"number": 4}))
    case("no function", lambda: client.rpc("nothing", {}))
    case("no such argument", lambda: client.rpc("add", {"a": 1, "c": 2}))
    case("raised", lambda: client.rpc("fail", {}))
    case("a write by GET", lambda: client.rpc("touch", {"driver_id": 10}, get=True))
