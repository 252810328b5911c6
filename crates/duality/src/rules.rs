//! The rules of the view language in words, as messages quote them.

macro_rules! rules {
    ($($name:ident = $text:literal;)*) => { $(pub(crate) const $name: &str = $text;)* };
}

rules! {
    HEADER = "a definition is CREATE [OR REPLACE] JSON [RELATIONAL] DUALITY VIEW name AS, then SELECT JSON {…} FROM table, or table {…}";
    ALTERED = "a file defines views; it alters none";
    VALIDATE = "a rule is VALIDATE ON INSERT UPDATE, BEFORE OBJECT or AFTER OBJECT, USING a condition: json_value(new.data, '$.a'), json_exists(old.data, '$.b'), comparisons with literals and each other, IS NULL, IN, BETWEEN, AND, OR, NOT; @validate(sql:, name:, on:, at:) on the root says the same";
    NOTIFY = "the events of a view are NOTIFY [ON INSERT UPDATE DELETE], once; @notify(on:, name:) on the root says the same";
    DIRECTIVES_OF_VIEWS = "a view is served with all of its directives, or not at all";
    ONE_TABLE = "each SELECT reads one table; other tables hang below it as subqueries joined on keys";
    NO_SET_OPERATORS = "a view has one query; set operators, grouping and ordering are not part of it";
    TABLE_SOURCE = "every source is a table; views and subqueries cannot be written through";
    NAMES_EXIST = "every table and column of a definition must exist in the catalog";
    JOIN_KEYS = "tables are joined on keys: the columns of a foreign key on one side, of a primary or unique key on the other, all parts ANDed";
    JOIN_DECLARED = "this server takes only links that are declared as foreign keys in the database";
    JOIN_CHOSEN = "a join is inferred only from the single foreign key between two tables; otherwise @link chooses it";
    CARDINALITY = "a foreign key in the nested table gives an array, one in the parent table an object";
    UNNEST_ONE = "@unnest merges one object into its parent; an array or a scalar cannot be merged";
    UNNEST_NO_KEY = "the members of an unnested object are members of its parent, so the object itself has no name";
    ROOT_OBJECT = "the root of a document is one object";
    ONCE = "an annotation is given once, and never with its opposite";
    PLACE_TABLE = "this annotation belongs on a table, before its braces";
    PLACE_COLUMN = "this annotation belongs on a column";
    PLACE_GROUP = "@nest groups columns of the table in braces: name: { a b } @nest, or with the table's own name again: name: table @nest { a b }";
    ROW_OPERATIONS = "@insert and @delete apply to tables; a column takes only @update and @check";
    DIRECTIVES_TOUCH = "directives follow each other without commas";
    DIRECTIVES_KNOWN = "the directives of a view are @insert @update @delete @check, their no forms, @unnest @nest @link @array @object @where @flex @generated @hidden @cast @onnull @validate @notify";
    IDENTITY_READ_ONLY = "identifying columns are always read-only, because another key is another row";
    COMPUTED_READ_ONLY = "a column that the database computes can never be written";
    IDENTITY_SHOWN = "every table exposes all its identifying columns in its object, or joins them to a table that does";
    IDENTITY_NEEDED = "rows are found by a primary key, or a unique key over columns that are NOT NULL";
    IDENTITY_NOT_NESTED = "the identifying columns of the root are members of the document itself, or together one object in it";
    NAME_ONCE = "a name is used once in an object, unnested members included";
    COLUMN_ONCE = "a column is used once in an object";
    TABLE_ONCE = "an object contains the same rows only once";
    RESERVED = "`_metadata` and `links` at the top of a document are the server's own";
    FLEX_JSON = "a flex column is of type JSON and holds an object";
    FLEX_ONCE = "each table has at most one flex column in an object";
    FLEX_ONE = "an object has at most one flex column, those of unnested tables included";
    FLEX_CONFLICTS = "`_nameConflicts` beside a flex column holds stored members whose names the object already uses";
    FLEX_ALONE = "a flex column is its own catch-all and takes no other annotation";
    GENERATED_ALONE = "a generated member without a column is computed and read-only; @generated may be combined only with @hidden";
    GENERATED_WRITE = "a column is generated when its row is written by a path over its own object alone: numbers, texts and booleans of it or inside its JSON, + - * and / by a number made of 2 and 5, count() of an array, and the methods abs ceiling floor length lower number string upper; it takes no CHECK, and no HIDDEN if it is only for a missing member";
    GENERATED_PATH = "a path such as $.a.b * 2 or $.array.b.sum() leads from its own object to columns, generated members and values inside JSON, of other tables too; a position such as $.array[0].b or [last-1] or [0 to 2] and a filter such as $.array?(@.b > 1).c.sum() select elements; many values end with sum, avg, min, max or count";
    NO_XML = "a view has no columns of the type xml: XML travels as text, beside a document";
    CAST_ID = "@cast(as:id) is the only cast, for a binary, text or UUID column";
    DOCUMENTS_WHOLE = "documents of a collection are checked and completed by the collection, so a view writes them as a whole: an object with `id` and the flex column `jsonb`";
    SCALAR_READ_ONLY = "an array of scalars is read-only: its rows have no keys in the document";
    GROUP_COLUMNS = "a group holds columns of the table itself; tables nest by their joins";
    BRACKETS = "the brackets of an array go around the braces, not around the table: lines [ {…} ]";
    JSON_OPTIONS = "an object or array ends with nothing but NULL ON NULL or ABSENT ON NULL, RETURNING JSON, STRICT or WITH UNIQUE KEYS";
    NULLS = "@onnull(absent: true) on a table or a group leaves out the values of its object that are NULL, not those of objects inside";
    SCRIPTS = "in a script, PL/SQL ends with a slash on a line of its own; statements and commands that define no view are skipped";
    COMMAS = "in SQL style members are separated by commas";
    PREDICATE = "a row filter compares columns of its own table with literals and each other";
    NO_SUBQUERY = "expressions have no subqueries";
    NO_AGGREGATE = "expressions have no aggregates and no window functions";
    ROWS = "a generated member reads other rows by one SELECT FROM a table and those joined to it, with WHERE child.column = parent.column: an expression over count, sum, avg, min, max and listagg, or over the columns of the only row";
    LISTAGG = "the texts of other rows are listed by LISTAGG(expression, 'separator') WITHIN GROUP (ORDER BY expression)";
    ARRAY_ORDER = "an array shows its elements in the order of their keys, and ORDER BY can name no other one";
    ROWS_TYPES = "sum and avg take numbers, min and max numbers, text, dates and times; what is no number or text can only be shown as it is";
    NO_BIND = "expressions have no bind variables";
    NO_OUTER = "an expression uses columns of its own table; an outer table's column is allowed only in the join";
    MEMBER_OWN = "a member's column belongs to the table of its object";
    NO_OR_JOIN = "a join is ANDed with the row filter, never inside OR, NOT or another expression";
    FUNCTIONS = "expressions use what both stores have: lower upper length trim coalesce abs round ceil floor number nullif replace substr regexp_like json_exists";
    TYPES = "operands have types that can be compared or calculated with";
    NOT_GRAPHQL = "a view definition has no fragments, variables, type definitions, mutations or query directives";
    LIMITS = "definitions have limits, so that no text can harm the server";
}
