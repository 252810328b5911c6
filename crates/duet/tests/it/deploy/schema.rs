//! The files of Kubernetes against its schemas, and the stack of a fleet against that of Compose: by `kubectl` and `docker`,
//! where they are installed, whose programs have the types of what they send; neither needs a server. Kinds that `kubectl` reads
//! without their types have a schema here.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use duet_testkit::command::clean;
use duet_testkit::skipped;
use serde_json::{Value, json};

use super::{folder, objects, told};

/// The objects of both folders.
fn all() -> Vec<Value> {
    let all = [objects(), super::fleet::objects()].concat();
    assert!(all.len() > 25, "{}", all.len());
    all
}

/// What reads an object of a kind by its type, without a server; `None` for kinds that nothing reads so.
fn reader(kind: &str) -> Option<[&'static str; 2]> {
    match kind {
        "Deployment" | "StatefulSet" | "Job" => Some(["env", "READ=1"]),
        "Service" => Some(["selector", "read=1"]),
        _ => None,
    }
}

/// The members of a value that another one lacks, with their places.
fn lost(own: &Value, read: &Value, place: &str, found: &mut Vec<String>) {
    match (own, read) {
        (Value::Object(members), _) => {
            for (name, member) in members {
                let place = format!("{place}.{name}");
                match read.get(name) {
                    Some(other) => lost(member, other, &place, found),
                    None => found.push(place),
                }
            }
        }
        (Value::Array(list), _) => {
            for (at, one) in list.iter().enumerate() {
                lost(one, &read[at], &format!("{place}[{at}]"), found);
            }
        }
        (_, Value::Null) => found.push(place.to_owned()),
        _ => {}
    }
}

/// An object as `kubectl` has read it; `None` where it is not installed.
fn read(object: &Value) -> Option<Result<Value, String>> {
    let [what, change] = reader(object["kind"].as_str().unwrap())?;
    let mut command = clean(Path::new("kubectl"));
    command.args(["set", what, "--local", "-f", "-", "-o", "json", change]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().ok()?;
    child.stdin.take().unwrap().write_all(object.to_string().as_bytes()).unwrap();
    let (code, said, errors) = told(&child.wait_with_output().unwrap());
    Some(if code == 0 { Ok(serde_json::from_str(&said).unwrap()) } else { Err(errors) })
}

#[test]
fn kubernetes_knows_every_member() {
    for object in all().iter().filter(|it| reader(it["kind"].as_str().unwrap()).is_some()) {
        let Some(read) = read(object) else {
            skipped("deploy::schema::kubernetes_knows_every_member", "kubectl is not installed");
            return;
        };
        let mut read = read.unwrap_or_else(|errors| panic!("{errors}\n{object}"));
        // What was changed to have it read.
        read["spec"]["selector"] = object["spec"]["selector"].clone();
        let mut found = Vec::new();
        lost(object, &read, "", &mut found);
        // Empty values are left out.
        found.retain(|place| !object.pointer(&place.replace('.', "/")).is_some_and(is_empty));
        assert!(found.is_empty(), "{}: {found:?}", object["metadata"]["name"]);
    }
    // A name that is wrong is noticed, and a value.
    let mut wrong = all().into_iter().find(|it| it["kind"] == "Deployment").unwrap();
    wrong["spec"]["template"]["spec"]["enableServiceLink"] = false.into();
    let mut found = Vec::new();
    lost(&wrong, &read(&wrong).unwrap().unwrap(), "", &mut found);
    assert_eq!(found, [".spec.template.spec.enableServiceLink"]);
    wrong["spec"]["replicas"] = "three".into();
    assert!(read(&wrong).unwrap().is_err());
}

fn is_empty(value: &Value) -> bool {
    value == &json!({}) || value == &json!([]) || value == &json!("") || value == &json!(0)
}

/// The other kinds, as far as the files use them.
fn schema_of(kind: &str) -> Value {
    let texts = json!({ "type": "object", "additionalProperties": { "type": "string" } });
    let object = |members: Value, required: &[&str]| json!({ "type": "object", "properties": members, "required": required, "additionalProperties": false });
    let selector = object(json!({ "matchLabels": texts }), &["matchLabels"]);
    let number = json!({ "type": "integer", "minimum": 0 });
    let text = json!({ "type": "string" });
    let (version, spec) = match kind {
        "ConfigMap" => ("v1", ("data", texts.clone())),
        "PersistentVolumeClaim" => {
            let modes = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];
            let storage = json!({ "type": "string", "pattern": "^[0-9]+(Ki|Mi|Gi|Ti)$" });
            let requests = object(json!({ "storage": storage }), &["storage"]);
            let resources = object(json!({ "requests": requests }), &["requests"]);
            let modes = json!({ "type": "array", "items": { "enum": modes } });
            let members = json!({ "accessModes": modes, "resources": resources });
            ("v1", ("spec", object(members, &["accessModes", "resources"])))
        }
        "PodDisruptionBudget" => {
            let members = json!({ "minAvailable": number, "selector": selector });
            ("policy/v1", ("spec", object(members, &["selector"])))
        }
        "HorizontalPodAutoscaler" => {
            let target = object(
                json!({ "apiVersion": text, "kind": text, "name": text }),
                &["kind", "name"],
            );
            let quantity = json!({ "type": "string", "pattern": "^[0-9]+m?$" });
            let average = object(
                json!({ "type": { "const": "AverageValue" }, "averageValue": quantity }),
                &["type", "averageValue"],
            );
            let metric = object(json!({ "name": text }), &["name"]);
            let pods =
                object(json!({ "metric": metric, "target": average }), &["metric", "target"]);
            let metric =
                object(json!({ "type": { "const": "Pods" }, "pods": pods }), &["type", "pods"]);
            let rules = object(json!({ "stabilizationWindowSeconds": number }), &[]);
            let members = json!({
                "scaleTargetRef": target, "minReplicas": number, "maxReplicas": number,
                "metrics": { "type": "array", "items": metric },
                "behavior": object(json!({ "scaleDown": rules, "scaleUp": rules }), &[]),
            });
            ("autoscaling/v2", ("spec", object(members, &["scaleTargetRef", "maxReplicas"])))
        }
        other => panic!("no schema of {other}"),
    };
    let metadata = object(json!({ "name": text, "labels": texts }), &["name"]);
    let mut members = json!({ "apiVersion": { "const": version }, "kind": { "const": kind }, "metadata": metadata });
    members[spec.0] = spec.1;
    object(members, &["apiVersion", "kind", "metadata", spec.0])
}

#[test]
fn other_kinds_fit_their_schemas() {
    let all = all();
    let others: Vec<&Value> =
        all.iter().filter(|it| reader(it["kind"].as_str().unwrap()).is_none()).collect();
    assert!(others.len() >= 7, "{}", others.len());
    for object in others {
        let schema = schema_of(object["kind"].as_str().unwrap());
        let validator = jsonschema::validator_for(&schema).unwrap();
        let errors: Vec<String> =
            validator.iter_errors(object).map(|error| error.to_string()).collect();
        assert!(errors.is_empty(), "{}: {errors:?}", object["metadata"]["name"]);
    }
}

#[test]
fn the_fleet_is_accepted_by_swarm() {
    let file = folder().join("fleet/stack.yml");
    let mut command = clean(Path::new("docker"));
    command.args(["stack", "config", "-c"]).arg(&file);
    let given = ["ADMIN_PWD", "DUET_PWD", "COPY_PWD", "PGBOUNCER_IMAGE"];
    command.envs(given.map(|name| (name, "given")));
    let help = Command::new("docker").args(["stack", "--help"]).output();
    let is_there =
        help.is_ok_and(|help| String::from_utf8_lossy(&help.stdout).contains("docker stack"));
    if !is_there {
        skipped("deploy::schema::the_fleet_is_accepted_by_swarm", "docker stack is not installed");
        return;
    }
    let (code, said, errors) = told(&command.output().unwrap());
    assert_eq!(code, 0, "{errors}");
    assert!(said.contains("duet3"), "{said}");
}
