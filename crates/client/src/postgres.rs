//! A plain connection to PostgreSQL.

use std::error::Error as StdError;

use bytes::{BufMut, BytesMut};
use duet_document::Codec;
use duet_model::Value;
use tokio::task::JoinHandle;
use tokio_postgres::types::{Format, FromSql, IsNull, Kind, ToSql, Type, to_sql_checked};
use tokio_postgres::{Client, Row, Statement};

use super::{Failure, FailureKind, Rows};
use crate::connect::PostgresConnector;
use crate::wire::{Meter, Moved};

/// A connection; the task that moves its bytes ends with it.
#[derive(Debug)]
pub(super) struct Connection {
    client: Client,
    running: JoinHandle<()>,
    meter: Meter,
}

impl Connection {
    pub(super) async fn open(connector: &PostgresConnector, name: &str) -> Result<Self, Failure> {
        let meter = Meter::default();
        let connected = connector.connect_metered(&meter).await;
        let (client, running) = connected.map_err(|error| Failure::connecting(&error))?;
        let running = tokio::spawn(async move {
            // The next caller gets its error.
            drop(running.await);
        });
        let connection = Self { client, running, meter };
        connection
            .script(&format!("SET application_name = '{}'", name.replace('\'', "''")))
            .await?;
        Ok(connection)
    }

    /// Says goodbye to the server, and waits until its socket is closed.
    pub(super) async fn close(self) {
        drop(self.client);
        // It ends with the last handle.
        drop(self.running.await);
    }

    /// What went over its wire; an answer that was taken is in it.
    pub(super) fn moved(&self) -> Moved {
        self.meter.moved()
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) async fn prepare(&self, sql: &str) -> Result<Statement, Failure> {
        self.client.prepare(sql).await.map_err(|error| Failure::postgres(&error))
    }

    pub(super) async fn query(
        &self,
        statement: &Statement,
        values: &[Value],
    ) -> Result<Rows, Failure> {
        let parameters = parameters(statement, values)?;
        let parameters: Vec<&(dyn ToSql + Sync)> =
            parameters.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        let rows = self.client.query(statement, &parameters).await;
        let rows = rows.map_err(|error| Failure::postgres(&error))?;
        let codecs: Vec<Codec> =
            statement.columns().iter().map(|column| codec(column.type_())).collect();
        Ok(Rows {
            columns: statement.columns().iter().map(|column| column.name().to_owned()).collect(),
            rows: rows.iter().map(|row| row_of(row, &codecs)).collect::<Result<_, _>>()?,
        })
    }

    pub(super) async fn execute(
        &self,
        statement: &Statement,
        values: &[Value],
    ) -> Result<u64, Failure> {
        let parameters = parameters(statement, values)?;
        let parameters: Vec<&(dyn ToSql + Sync)> =
            parameters.iter().map(|value| value as &(dyn ToSql + Sync)).collect();
        let changed = self.client.execute(statement, &parameters).await;
        changed.map_err(|error| Failure::postgres(&error))
    }

    pub(super) async fn script(&self, sql: &str) -> Result<(), Failure> {
        self.client.batch_execute(sql).await.map_err(|error| Failure::postgres(&error))
    }
}

/// A parameter on the wire: whole numbers in binary where the type is one, all else as text, which
/// the server reads by the type that it gave the parameter.
#[derive(Debug)]
struct Bound<'a>(&'a Value);

fn parameters<'a>(statement: &Statement, values: &'a [Value]) -> Result<Vec<Bound<'a>>, Failure> {
    let wanted = statement.params().len();
    if wanted == values.len() {
        return Ok(values.iter().map(Bound).collect());
    }
    let message = format!("the statement takes {wanted} parameters, {} are given", values.len());
    Err(Failure::new(FailureKind::Other, message))
}

impl ToSql for Bound<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn StdError + Sync + Send>> {
        match (self.0, ty) {
            (Value::Null, _) => return Ok(IsNull::Yes),
            (Value::Int(value), &Type::INT8) => out.put_i64(*value),
            (Value::Int(value), &Type::INT4) => out.put_i32(i32::try_from(*value)?),
            (Value::Text(text), _) => out.put_slice(text.as_bytes()),
            (Value::Bytes(bytes), &Type::BYTEA) => out.put_slice(bytes),
            (value, _) => out.put_slice(value.to_string().as_bytes()),
        }
        Ok(IsNull::No)
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    fn encode_format(&self, ty: &Type) -> Format {
        match (self.0, ty) {
            (Value::Int(_), &Type::INT8 | &Type::INT4) | (Value::Bytes(_), &Type::BYTEA) => {
                Format::Binary
            }
            _ => Format::Text,
        }
    }

    to_sql_checked!();
}

/// How a column's binary form is read.
fn codec(ty: &Type) -> Codec {
    if let Kind::Array(element) = ty.kind() {
        return Codec::Array(Box::new(codec(element)));
    }
    match *ty {
        Type::BOOL => Codec::Boolean,
        Type::INT2 | Type::INT4 | Type::INT8 | Type::OID => Codec::Integer,
        Type::NUMERIC => Codec::Decimal(None),
        Type::FLOAT4 | Type::FLOAT8 => Codec::Float64,
        Type::BYTEA => Codec::Binary,
        Type::UUID => Codec::Uuid,
        Type::DATE => Codec::Date,
        Type::TIME => Codec::Time,
        Type::TIMESTAMP => Codec::Timestamp,
        Type::TIMESTAMPTZ => Codec::TimestampTz,
        Type::INTERVAL => Codec::Interval,
        Type::JSON | Type::JSONB => Codec::Json,
        _ => Codec::Text,
    }
}

/// The bytes of a column as they came.
struct Wire<'a>(&'a [u8]);

impl<'a> FromSql<'a> for Wire<'a> {
    fn from_sql(_: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn StdError + Sync + Send>> {
        Ok(Self(raw))
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

fn row_of(row: &Row, codecs: &[Codec]) -> Result<Vec<Value>, Failure> {
    let value = |(index, codec): (usize, &Codec)| {
        let wire: Option<Wire<'_>> =
            row.try_get(index).map_err(|error| Failure::postgres(&error))?;
        Ok(match wire {
            None => Value::Null,
            Some(Wire(bytes)) => codec.value(codec.wire_cell(bytes)),
        })
    };
    codecs.iter().enumerate().map(value).collect()
}
