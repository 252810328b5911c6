//! Whether the columns of a prepared statement are still of the types that the catalog says.
//!
//! A column's codec follows from the catalog, the bytes on the wire from the table as it is now.
//! Where the two differ, bytes would be misread, so the statement must not run.

use duet_document::Codec;
use tokio_postgres::Statement;
use tokio_postgres::types::{Kind, Type};

/// Whether the columns of a statement, from the one numbered `first` on, are what these codecs
/// read.
pub(crate) fn fit<'a>(
    statement: &Statement,
    first: usize,
    mut codecs: impl Iterator<Item = &'a Codec>,
) -> bool {
    let mut columns = statement.columns().iter().skip(first);
    columns.all(|column| codecs.next().is_some_and(|codec| reads(codec, column.type_())))
}

fn reads(codec: &Codec, ty: &Type) -> bool {
    // The server names the base of a domain, but not that of an array's elements.
    if let Kind::Domain(base) = ty.kind() {
        return reads(codec, base);
    }
    // To the driver, an array of rows that a statement makes is a pseudo-type.
    if *ty == Type::RECORD_ARRAY {
        return matches!(codec, Codec::Array(inner) if matches!(**inner, Codec::Record(_)));
    }
    if let Kind::Array(element) = ty.kind() {
        return matches!(codec, Codec::Array(inner) if reads(inner, element));
    }
    match codec {
        Codec::Boolean => *ty == Type::BOOL,
        Codec::Integer => [Type::INT2, Type::INT4, Type::INT8].contains(ty),
        Codec::Decimal(_) => *ty == Type::NUMERIC,
        Codec::Float32 | Codec::Float64 => [Type::FLOAT4, Type::FLOAT8].contains(ty),
        Codec::Binary => *ty == Type::BYTEA,
        Codec::Uuid => *ty == Type::UUID,
        Codec::Date => *ty == Type::DATE,
        Codec::Time => *ty == Type::TIME,
        Codec::TimeTz => *ty == Type::TIMETZ,
        // The snapshot's number travels like one; see `LevelColumn::AsOf`.
        Codec::Timestamp => *ty == Type::TIMESTAMP || ty.name() == "xid8",
        Codec::TimestampTz => *ty == Type::TIMESTAMPTZ,
        Codec::Interval => *ty == Type::INTERVAL,
        // A service may declare that a text is JSON; see `push_row`.
        Codec::Json => [Type::JSON, Type::JSONB].contains(ty) || is_text(ty),
        Codec::Text => is_text(ty),
        Codec::Array(_) => false,
        // A row that the statement makes; or the output of a procedure, which is as it is declared.
        Codec::Record(members) => match ty.kind() {
            Kind::Composite(fields) => {
                let mut both = fields.iter().zip(members.iter());
                fields.len() == members.len()
                    && both.all(|(field, (_, codec))| reads(codec, field.type_()))
            }
            _ => *ty == Type::RECORD,
        },
        Codec::Ords(form) => reads(&Codec::native(*form), ty),
    }
}

/// Whether the server sends a type's binary form as its text.
pub(crate) fn is_text(ty: &Type) -> bool {
    let plain = [Type::TEXT, Type::VARCHAR, Type::BPCHAR, Type::NAME, Type::CHAR, Type::UNKNOWN];
    // Extensions' types have numbers of their own.
    plain.contains(ty)
        || *ty == Type::XML
        || ty.name() == "citext"
        || matches!(ty.kind(), Kind::Enum(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codecs_read_their_own_types_alone() {
        let types = [
            Type::BOOL,
            Type::INT8,
            Type::NUMERIC,
            Type::FLOAT8,
            Type::BYTEA,
            Type::UUID,
            Type::DATE,
            Type::TIME,
            Type::TIMETZ,
            Type::TIMESTAMP,
            Type::TIMESTAMPTZ,
            Type::INTERVAL,
            Type::JSONB,
            Type::TEXT,
            Type::INT4_ARRAY,
        ];
        let codecs = [
            Codec::Boolean,
            Codec::Integer,
            Codec::Decimal(None),
            Codec::Float64,
            Codec::Binary,
            Codec::Uuid,
            Codec::Date,
            Codec::Time,
            Codec::TimeTz,
            Codec::Timestamp,
            Codec::TimestampTz,
            Codec::Interval,
            Codec::Json,
            Codec::Text,
            Codec::Array(Box::new(Codec::Integer)),
        ];
        for (row, codec) in codecs.iter().enumerate() {
            for (column, ty) in types.iter().enumerate() {
                let is_json_text = *codec == Codec::Json && *ty == Type::TEXT;
                assert_eq!(reads(codec, ty), row == column || is_json_text, "{codec:?} {ty}");
            }
        }
        assert!(!reads(&Codec::Array(Box::new(Codec::Text)), &Type::INT4_ARRAY));
        let named =
            |name: &str, kind| Type::new(name.to_owned(), 70_000, kind, "public".to_owned());
        let domain = named("d", Kind::Domain(Type::INT4));
        let array = named("_d", Kind::Array(domain.clone()));
        assert!(reads(&Codec::Integer, &domain));
        assert!(reads(&Codec::Array(Box::new(Codec::Integer)), &array));
        let of_arrays = named("da", Kind::Domain(Type::INT4_ARRAY));
        assert!(reads(&Codec::Array(Box::new(Codec::Integer)), &of_arrays));
        assert!(!reads(&Codec::Text, &array) && !reads(&Codec::Date, &domain));
    }
}
