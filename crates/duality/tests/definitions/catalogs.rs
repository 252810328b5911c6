//! Catalogs as introspection would give them, built by hand.

use std::sync::Arc;

use duet_model::catalog::{GeneratedValue, UniqueKey};
use duet_model::{
    Catalog, Column, Comparability, ForeignKey, NativeType, Relation, RelationKind, Type,
};

pub(crate) const INTEGER: Type = Type::Integer { bits: 32 };
pub(crate) const MONEY: Type = Type::Decimal { scale: Some(2) };

/// A table under construction.
pub(crate) struct Table(Relation);

pub(crate) fn table(name: &str, columns: &[(&str, Type)]) -> Table {
    let columns = columns.iter().map(|(name, ty)| Column::new(*name, ty.clone())).collect();
    Table(Relation {
        schema: "main".to_owned(),
        name: name.to_owned(),
        alias: None,
        kind: RelationKind::Table,
        columns,
        primary_key: Vec::new(),
        unique_keys: Vec::new(),
        foreign_keys: Vec::new(),
        indexes: Vec::new(),
        checks: Vec::new(),
        comment: None,
        estimated_rows: None,
        batchable: false,
        plain: false,
        links: Vec::new(),
        effects: duet_model::catalog::Effects::default(),
        query: None,
        withheld: duet_model::catalog::Withheld::default(),
        placement: duet_model::catalog::Placement::default(),
    })
}

impl Table {
    fn positions(&self, names: &[&str]) -> Vec<usize> {
        names.iter().map(|name| self.0.column_index(name).expect("a column")).collect()
    }

    pub(crate) fn key(mut self, names: &[&str]) -> Self {
        self.0.primary_key = self.positions(names);
        self.not_null(names)
    }

    pub(crate) fn unique(mut self, names: &[&str]) -> Self {
        let columns = self.positions(names);
        self.0.unique_keys.push(UniqueKey { name: names.join("_"), columns, is_declared: false });
        self
    }

    pub(crate) fn not_null(mut self, names: &[&str]) -> Self {
        for position in self.positions(names) {
            self.0.columns[position].not_null = true;
        }
        self
    }

    pub(crate) fn references(mut self, names: &[&str], table: &str, columns: &[&str]) -> Self {
        self.0.foreign_keys.push(ForeignKey {
            name: format!("{}_{}", self.0.name, names.join("_")),
            columns: self.positions(names),
            references_schema: "main".to_owned(),
            references_table: table.to_owned(),
            references_columns: columns.iter().map(|&name| name.to_owned()).collect(),
            on_delete: duet_model::catalog::OnDelete::Refuse,
        });
        self
    }

    pub(crate) fn computed(mut self, name: &str) -> Self {
        let position = self.positions(&[name])[0];
        self.0.columns[position].generated = GeneratedValue::Computed;
        self
    }

    pub(crate) fn view(mut self) -> Self {
        self.0.kind = RelationKind::View;
        self
    }

    pub(crate) fn schema(mut self, schema: &str) -> Self {
        self.0.schema = schema.to_owned();
        self
    }
}

pub(crate) fn catalog(tables: impl IntoIterator<Item = Table>) -> Catalog {
    let relations = tables.into_iter().map(|table| Arc::new(table.0)).collect();
    Catalog { relations, ..Catalog::default() }
}

pub(crate) fn car_racing() -> Catalog {
    catalog([
        table(
            "driver",
            &[
                ("driver_id", INTEGER),
                ("name", Type::Text),
                ("points", INTEGER),
                ("team_id", INTEGER),
            ],
        )
        .key(&["driver_id"])
        .unique(&["name"])
        .references(&["team_id"], "team", &["team_id"]),
        table(
            "driver_race_map",
            &[
                ("driver_race_map_id", INTEGER),
                ("race_id", INTEGER),
                ("driver_id", INTEGER),
                ("position", INTEGER),
            ],
        )
        .key(&["driver_race_map_id"])
        .unique(&["race_id", "driver_id"])
        .references(&["race_id"], "race", &["race_id"])
        .references(&["driver_id"], "driver", &["driver_id"]),
        table(
            "race",
            &[
                ("race_id", INTEGER),
                ("name", Type::Text),
                ("laps", INTEGER),
                ("race_date", Type::Timestamp),
                ("podium", Type::Json),
            ],
        )
        .key(&["race_id"])
        .unique(&["name"]),
        table("team", &[("team_id", INTEGER), ("name", Type::Text), ("points", INTEGER)])
            .key(&["team_id"])
            .unique(&["name"]),
    ])
}

fn named(name: &str) -> (&str, Type) {
    (name, Type::Text)
}

pub(crate) fn chinook() -> Catalog {
    let [customer, employee] = people();
    catalog([
        customer,
        employee,
        table("album", &[("album_id", INTEGER), named("title"), ("artist_id", INTEGER)])
            .key(&["album_id"])
            .references(&["artist_id"], "artist", &["artist_id"]),
        table("artist", &[("artist_id", INTEGER), named("name")]).key(&["artist_id"]),
        table("genre", &[("genre_id", INTEGER), named("name")]).key(&["genre_id"]),
        table(
            "invoice",
            &[
                ("invoice_id", INTEGER),
                ("customer_id", INTEGER),
                ("invoice_date", Type::Timestamp),
                ("total", MONEY),
            ],
        )
        .key(&["invoice_id"])
        .references(&["customer_id"], "customer", &["customer_id"]),
        table(
            "invoice_line",
            &[
                ("invoice_line_id", INTEGER),
                ("invoice_id", INTEGER),
                ("track_id", INTEGER),
                ("unit_price", MONEY),
                ("quantity", INTEGER),
            ],
        )
        .key(&["invoice_line_id"])
        .references(&["invoice_id"], "invoice", &["invoice_id"])
        .references(&["track_id"], "track", &["track_id"]),
        table("playlist", &[("playlist_id", INTEGER), named("name")]).key(&["playlist_id"]),
        table("playlist_track", &[("playlist_id", INTEGER), ("track_id", INTEGER)])
            .key(&["playlist_id", "track_id"])
            .references(&["playlist_id"], "playlist", &["playlist_id"])
            .references(&["track_id"], "track", &["track_id"]),
        table(
            "track",
            &[
                ("track_id", INTEGER),
                named("name"),
                ("album_id", INTEGER),
                ("genre_id", INTEGER),
                named("composer"),
                ("milliseconds", INTEGER),
                ("unit_price", MONEY),
            ],
        )
        .key(&["track_id"])
        .references(&["album_id"], "album", &["album_id"])
        .references(&["genre_id"], "genre", &["genre_id"]),
    ])
}

fn people() -> [Table; 2] {
    [
        table(
            "customer",
            &[
                ("customer_id", INTEGER),
                named("first_name"),
                named("last_name"),
                named("company"),
                named("address"),
                named("city"),
                named("state"),
                named("country"),
                named("postal_code"),
                named("email"),
                ("support_rep_id", INTEGER),
            ],
        )
        .key(&["customer_id"])
        .references(&["support_rep_id"], "employee", &["employee_id"]),
        table(
            "employee",
            &[
                ("employee_id", INTEGER),
                named("last_name"),
                named("first_name"),
                ("reports_to", INTEGER),
                ("hire_date", Type::Timestamp),
            ],
        )
        .key(&["employee_id"])
        .references(&["reports_to"], "employee", &["employee_id"]),
    ]
}

/// Tables for what the samples do not have: composite keys, one-to-one, types, no foreign keys.
fn xml() -> Type {
    let cast = "pg_catalog.xml".to_owned();
    Type::Native(Arc::new(NativeType { cast, comparison: Comparability::None, casts: None }))
}

pub(crate) fn oddities() -> Catalog {
    catalog([
        table("heat", &[("race_id", INTEGER), ("date", Type::Date), ("laps", INTEGER)])
            .key(&["race_id", "date"]),
        table(
            "lap",
            &[("lap_id", INTEGER), ("race", INTEGER), ("day", Type::Date), ("ms", INTEGER)],
        )
        .key(&["lap_id"])
        .references(&["day", "race"], "heat", &["date", "race_id"]),
        table("person", &[("id", INTEGER), ("name", Type::Text), ("flags", Type::Boolean)])
            .key(&["id"]),
        table("passport", &[("person_id", INTEGER), ("number", Type::Text)])
            .key(&["person_id"])
            .references(&["person_id"], "person", &["id"]),
        table("note", &[("note_id", INTEGER), ("person", INTEGER), ("text", Type::Text)])
            .key(&["note_id"]),
        table(
            "thing",
            &[
                ("id", Type::Uuid),
                ("label", Type::Text),
                ("raw", Type::Binary),
                ("extras", Type::Json),
                ("more", Type::Json),
                ("price", MONEY),
                ("weight", Type::Float { bits: 64 }),
                ("doubled", INTEGER),
                ("made", Type::Timestamp),
                ("order", INTEGER),
                ("Odd Name", Type::Text),
                ("active", Type::Boolean),
                ("state", Type::Enum(Arc::from(["new".to_owned(), "old".to_owned()]))),
            ],
        )
        .key(&["id"])
        .computed("doubled"),
        table("annex", &[("id", INTEGER), ("thing", Type::Uuid), ("notes", Type::Json)])
            .key(&["id"])
            .references(&["thing"], "thing", &["id"]),
        table("letter", &[("id", INTEGER), ("body", xml())]).key(&["id"]),
        table("keyless", &[("a", INTEGER), ("b", Type::Text)]),
        table("named", &[("name", Type::Text), ("value", INTEGER)])
            .unique(&["name"])
            .not_null(&["name"]),
        table("all_people", &[("id", INTEGER)]).key(&["id"]).view(),
        table("twin", &[("id", INTEGER)]).key(&["id"]),
        table("twin", &[("id", INTEGER), ("more", INTEGER)]).key(&["id"]).schema("other"),
        table("transfer", &[("id", INTEGER), ("src", INTEGER), ("dst", INTEGER)])
            .key(&["id"])
            .references(&["src"], "person", &["id"])
            .references(&["dst"], "person", &["id"]),
    ])
}
