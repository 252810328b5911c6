//! A module of raml-module-builder in small: its files, and how many documents each search finds.

use std::fs;
use std::path::Path;

/// Writes the module.
pub(super) fn write(folder: &Path) {
    for (name, text) in FILES {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("a file has a folder")).expect("it is writable");
        fs::write(path, text).expect("as before");
    }
}

/// Its files.
pub(super) const FILES: [(&str, &str); 21] = [
    (
        "src/main/resources/templates/db_scripts/schema.json",
        r#"{
  "exactCount": 20000,
  "scripts": [
    {"run": "after", "snippet": "DROP VIEW IF EXISTS old_view;", "fromModuleVersion": "1.0.0"},
    {"run": "after", "snippetPath": "number.sql"}
  ],
  "views": [
    {"viewName": "orders_view", "joinType": "left join", "join": []},
    {"viewName": "gone_view", "mode": "delete"}
  ],
  "tables": [
    {"tableName": "old", "mode": "delete"},
    {"tableName": "orders", "withMetadata": true, "customSnippetPath": "orders.sql", "bloom": 1,
     "index": [
       {"fieldName": "code", "caseSensitive": false, "removeAccents": false,
        "sqlExpression": "(jsonb->>'code')", "sqlExpressionQuery": "$"},
       {"fieldName": "status", "caseSensitive": true, "removeAccents": false},
       {"fieldName": "due", "caseSensitive": true, "removeAccents": false}],
     "uniqueIndex": [{"fieldName": "code", "removeAccents": false}],
     "ginIndex": [{"fieldName": "code", "caseSensitive": false, "removeAccents": false}],
     "fullTextIndex": [{"fieldName": "unitIds", "removeAccents": false}]},
    {"tableName": "lines",
     "foreignKeys": [{"fieldName": "orderId", "targetTable": "orders", "tableAlias": "lines", "targetTableAlias": "order"}],
     "uniqueIndex": [{"fieldName": "orderId_place", "caseSensitive": true, "removeAccents": false,
                      "multiFieldNames": "orderId,place"}],
     "fullTextIndex": [
       {"fieldName": "keyword", "removeAccents": true, "multiFieldNames": "title, people[*].name,publisher,tags[*]"},
       {"fieldName": "title", "removeAccents": false},
       {"fieldName": "people", "arraySubfield": "name", "arrayModifiers": ["role", "lang"]},
       {"fieldName": "isbn", "sqlExpression": "normalize(jsonb->'isbn')"}]},
    {"tableName": "pieces",
     "foreignKeys": [
       {"fieldName": "lineId", "targetTable": "lines", "tableAlias": "pieces", "targetTableAlias": "line"},
       {"targetPath": ["lineId", "orderId"], "targetTable": "orders", "tableAlias": "pieces", "targetTableAlias": "order"}]},
    {"tableName": "unit", "withOptimisticLocking": "failOnConflict"},
    {"tableName": "locks"}
  ]
}
"#,
    ),
    (
        "src/main/resources/templates/db_scripts/orders.sql",
        "CREATE UNIQUE INDEX IF NOT EXISTS orders_number_unique ON ${myuniversity}_${mymodule}.orders\n  ((jsonb->>'number'));\n\nCREATE INDEX IF NOT EXISTS orders_code_sort ON ${myuniversity}_${mymodule}.orders\n  (left(lower(f_unaccent(jsonb->>'code')), 600), lower(f_unaccent(jsonb->>'code')));\n",
    ),
    (
        "src/main/resources/templates/db_scripts/number.sql",
        "CREATE TABLE number (last bigint);\nCREATE OR REPLACE VIEW ${myuniversity}_${mymodule}.lines_view AS\n  SELECT 1;\nUPDATE orders SET jsonb = jsonb;\n",
    ),
    (
        "ramls/orders.raml",
        "#%RAML 1.0
title: Shelf
types:
  order: !include models/schemas/order.json
  orders: !include models/schemas/order_collection.json
  line: !include models/schemas/line.json
  lines: !include models/schemas/line_collection.json
  piece: !include models/schemas/piece.json
  unit: !include models/schemas/unit.json
traits:
  validate: !include util/validation.raml
resourceTypes:
  collection: !include util/collection.raml
  collection-item: !include util/item.raml
/shelf-storage:
  /orders:
    type:
      collection:
        schemaCollection: orders
        schemaItem: order
    /{id}:
      type:
        collection-item:
          schema: order
  /orders-batch:
    post:
      responses:
        200:
    put:
      responses:
        204:
  /lines:
    type:
      collection: {schemaCollection: lines, schemaItem: line}
    /{id}:
      type: {collection-item: {schema: line}}
  /pieces:
    type: {collection: {schemaItem: piece}}
    /{id}:
      type: {collection-item: {schema: piece}}
  /units:
    type: {collection: {schemaItem: unit}}
    post:
      is: [validate]
    /{id}:
      type: {collection-item: {schema: unit}}
  /number:
    get:
      description: Gives a number
",
    ),
    (
        "ramls/util/collection.raml",
        "#%RAML 1.0 ResourceType\nget:\n  responses:\n    200:\n    400:\npost:\n  responses:\n    201:\n    400:\n",
    ),
    (
        "ramls/util/item.raml",
        "#%RAML 1.0 ResourceType\nget:\n  responses:\n    200:\n    404:\nput:\n  responses:\n    204:\n    409:\ndelete:\n  responses:\n    204:\n",
    ),
    (
        "ramls/util/validation.raml",
        "#%RAML 1.0 Trait\nresponses:\n  422:\n    description: Validation errors\n",
    ),
    (
        "ramls/models/schemas/order.json",
        r##"{"$schema": "http://json-schema.org/draft-04/schema#", "type": "object", "properties": {
  "id": {"$ref": "../common/uuid.json"}, "number": {"type": "string"}, "code": {"type": "string"},
  "status": {"type": "string", "enum": ["Open", "Closed"]}, "rush": {"type": "boolean", "default": false},
  "due": {"type": "string", "format": "date-time"}, "note": {"type": "string"},
  "unitIds": {"id": "unitIds", "type": "array", "items": {"$ref": "../common/uuid.json"}},
  "tags": {"type": "array", "items": {"type": "string"}},
  "metadata": {"type": "object", "$ref": "../common/metadata.schema"}}, "additionalProperties": false}
"##,
    ),
    (
        "ramls/models/schemas/order_collection.json",
        r#"{"type": "object", "properties": {"orders": {"type": "array", "items": {"$ref": "order.json"}}, "totalRecords": {"type": "integer"}}}
"#,
    ),
    (
        "ramls/models/schemas/line.json",
        r##"{"$schema": "http://json-schema.org/draft-07/schema#", "$id": "line", "type": "object", "properties": {
  "id": {"$ref": "../common/uuid.json"}, "orderId": {"$ref": "../common/uuid.json"}, "title": {"type": "string"},
  "publisher": {"type": "string"}, "place": {"type": "string"}, "isbn": {"type": "string"},
  "tags": {"type": "array", "items": {"type": "string"}},
  "people": {"type": "array", "items": {"$ref": "#/definitions/person"}}},
  "definitions": {"person": {"$id": "person", "type": "object", "properties": {
    "name": {"type": "string"}, "role": {"$ref": "#/definitions/role"}, "lang": {"type": "string"}}},
    "role": {"type": "string"}}}
"##,
    ),
    (
        "ramls/models/schemas/line_collection.json",
        r#"{"type": "object", "properties": {"shelfLines": {"type": "array", "items": {"$ref": "line.json"}}}}
"#,
    ),
    (
        "ramls/models/schemas/piece.json",
        r#"{"type": "object", "properties": {"id": {"$ref": "../common/uuid.json"}, "lineId": {"$ref": "../common/uuid.json"}, "within": {"$ref": "piece.json"}}}
"#,
    ),
    (
        "ramls/models/schemas/unit.json",
        r#"{"type": "object", "required": ["members"], "properties": {"id": {"$ref": "../common/uuid.json"}, "_version": {"type": "integer"},
  "name": {"type": "string"}, "members": {"type": "array"}, "of": {"$ref": "line.json"}}}
"#,
    ),
    (
        "ramls/models/common/uuid.json",
        r#"{"type": "string", "pattern": "^[a-fA-F0-9]{8}-[a-fA-F0-9]{4}-[1-5][a-fA-F0-9]{3}-[89abAB][a-fA-F0-9]{3}-[a-fA-F0-9]{12}$"}
"#,
    ),
    (
        "ramls/models/common/metadata.schema",
        r#"{"type": "object", "properties": {"createdDate": {"type": "string", "format": "date-time"}, "updatedDate": {"type": "string"}}}
"#,
    ),
    (
        "src/main/resources/data/orders/one.json",
        r#"{"id": "11111111-1111-4111-8111-111111111111", "code": "ZZAB1", "number": "1", "status": "Open", "due": "2020-01-01"}
"#,
    ),
    (
        "src/main/resources/data/orders/two.json",
        r#"{"id": "12121212-1111-4111-8111-111111111111", "code": "Øre", "number": "2", "status": "Closed", "unitIds": ["33333333-3333-4333-8333-333333333333"]}
"#,
    ),
    (
        "src/main/resources/data/lines-batch/all.json",
        r#"{"shelfLines": [
  {"id": "22222222-2222-4222-8222-222222222222", "orderId": "11111111-1111-4111-8111-111111111111", "title": "ABA Journal",
   "publisher": "Söder", "place": "a", "tags": ["x \"y\""],
   "people": [{"name": "Terry Pratchett", "role": "author", "lang": "english"}, {"name": "Creator B", "role": "editor", "lang": "danish"}]},
  {"id": "23232323-2222-4222-8222-222222222222", "orderId": "11111111-1111-4111-8111-111111111111", "title": "Fóo bar", "place": "b",
   "people": [{"name": "Neil", "lang": "english"}]}]}
"#,
    ),
    (
        "src/main/resources/data/pieces/one.json",
        r#"{"id": "55555555-5555-4555-8555-555555555555", "lineId": "22222222-2222-4222-8222-222222222222"}
"#,
    ),
    (
        "src/main/resources/data/system/units/unit.json",
        r#"{"id": "33333333-3333-4333-8333-333333333333", "name": "It's a unit"}
"#,
    ),
    ("src/main/resources/data/lost/a.json", "{}"),
];

/// Searches by a collection and CQL, and how many of the samples each finds.
pub(super) const SEARCHES: &[(&str, &str, usize)] = &[
    ("orders", "cql.allRecords=1", 2),
    // Several members, as RMB joins them.
    ("lines", "keyword=ABA", 1),
    ("lines", "keyword=\"journal terry\"", 1),
    ("lines", "keyword all \"aba terry soder y\"", 1),
    ("lines", "keyword=fo*", 1),
    ("lines", "keyword=\"\"", 0),
    ("lines", "keyword==ABA", 0),
    // Accents as declared.
    ("lines", "title=foo", 0),
    ("lines", "title=fóo", 1),
    ("orders", "code==ore", 0),
    ("orders", "code==øre", 1),
    // The first of gin, like, unique and index decides.
    ("orders", "code==zzab1", 1),
    ("orders", "code==\"*zab*\"", 1),
    ("orders", "status==open", 0),
    ("orders", "status==Open", 1),
    ("orders", "due>\"2019-12-31\"", 1),
    // An array that no document gave is empty.
    ("orders", "unitIds==\"[]\"", 1),
    ("orders", "unitIds=33333333-3333-4333-8333-333333333333", 1),
    // Members of one element.
    ("lines", "people =/@name terry", 1),
    ("lines", "people =/@role=author/@lang=english terry", 1),
    ("lines", "people =/@role=author creator", 0),
    ("lines", "people =/@lang=english *", 2),
    // Related documents, also along two references.
    ("orders", "lines.title=aba", 1),
    ("pieces", "order.status==Open", 1),
    ("pieces", "order.status==Closed", 0),
    ("orders", "pieces.id=*", 1),
    ("pieces", "line.title=aba*", 1),
    // `=*` is dropped behind `or` alone.
    ("lines", "publisher=* or title==zzz", 2),
    ("lines", "title==zzz or publisher=*", 0),
    ("lines", "title=aba* and (publisher=* or place==zzz)", 1),
    ("lines", "title=aba* not (publisher=* or place==zzz)", 0),
    ("lines", "title=\" * * \"", 2),
    ("orders", "id=1111*", 1),
    ("orders", "id=11111111111141118111111111111111", 0),
];
