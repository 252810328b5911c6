//! A write plan as JSON: what `explain=1` answers.

use duet_model::{Operand, RowOperation, Shape, Value, WritePlan};
use serde_json::{Map, Value as Json, json};

/// The plan, its operations in the order in which they would run.
pub(crate) fn json(shape: &Shape, plan: &WritePlan) -> Vec<u8> {
    let operations: Vec<Json> =
        plan.operations.iter().map(|operation| one(shape, operation)).collect();
    let allowed = plan.refusal().is_none();
    json!({ "allowed": allowed, "operations": operations }).to_string().into_bytes()
}

fn one(shape: &Shape, operation: &RowOperation) -> Json {
    let node = &shape.nodes[operation.node];
    let columns = |values: &[(usize, Operand)]| {
        let named = values
            .iter()
            .map(|(column, operand)| (node.table.columns[*column].served_name(), value(operand)));
        named.collect::<Map<String, Json>>()
    };
    let mut out = json!({
        "operation": operation.action.as_str(),
        "table": node.table.served_name(),
        "pointer": operation.pointer,
    });
    if !operation.key.is_empty() {
        out["key"] = columns(&operation.key).into();
    }
    if !operation.set.is_empty() {
        out["set"] = columns(&operation.set).into();
    }
    match &operation.refused {
        None => out["allowed"] = true.into(),
        Some(error) => {
            out["allowed"] = false.into();
            out["error"] = json!({ "code": error.code.as_str(), "message": error.message });
        }
    }
    out
}

fn value(operand: &Operand) -> Json {
    match operand {
        Operand::Value(Value::Null) => Json::Null,
        Operand::Value(Value::Bool(value)) => (*value).into(),
        Operand::Value(Value::Int(value)) => (*value).into(),
        Operand::Value(Value::Float(value)) => (*value).into(),
        Operand::Value(value) => value.to_string().into(),
        Operand::Default => json!({ "default": true }),
        Operand::Generated { operation, .. } => json!({ "generatedBy": operation }),
    }
}
