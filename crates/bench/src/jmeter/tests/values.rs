//! Values of functions as JMeter gives them.

use super::*;

#[test]
fn an_empty_default_is_a_default() {
    let path = "/${__P(no,)}.${__P(no)}.${__P(no,d)}.${__property(no,,)}.${__property(no)}.${__property(no,v,)}.${v}.";
    let sent = paths(&group("ThreadGroup", "1", "1", &get("a", path, "")));
    assert_eq!(sent, ["/.1.d..no..."]);
}
