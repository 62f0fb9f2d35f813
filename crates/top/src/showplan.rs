//! How operators of a plan hang together, read from its XML: `sys.dm_exec_query_profiles` numbers operators and does not say
//! which takes the rows of which.
//!
//! What always holds: any text is read without failing; of what is not a plan nothing comes out. Only the nesting of `RelOp`
//! is looked at.

/// Of each operator the one that takes its rows: (node, parent). The topmost is not among them.
pub fn parents(plan: &str) -> Vec<(i64, i64)> {
    let mut pairs = Vec::new();
    let mut open: Vec<Option<i64>> = Vec::new();
    // Inside of attributes `<` is written as an entity, so that each one here begins a tag.
    for piece in plan.split('<').skip(1) {
        if piece.starts_with("/RelOp>") {
            open.pop();
        } else if let Some(attributes) = piece.strip_prefix("RelOp ") {
            let tag = attributes.split('>').next().unwrap_or_default();
            let node = node_id(tag);
            let parent = open.iter().rev().find_map(|node| *node);
            pairs.extend(node.zip(parent));
            if !tag.ends_with('/') {
                open.push(node);
            }
        }
    }
    pairs
}

fn node_id(attributes: &str) -> Option<i64> {
    let (_, rest) = attributes.split_once("NodeId=\"")?;
    rest.split('"').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nesting_is_read() {
        let plan = "<ShowPlanXML><StmtSimple StatementText=\"select &lt;RelOp NodeId=&quot;9&quot;\"><RelOp NodeId=\"0\" a=\"b\">\
            <Hash><RelOp NodeId=\"1\"/><RelOp NodeId=\"2\"><X/><RelOp NodeId=\"3\"></RelOp></RelOp></Hash></RelOp></StmtSimple>";
        assert_eq!(parents(plan), [(1, 0), (2, 0), (3, 2)]);
    }

    #[test]
    fn what_is_no_plan_has_none() {
        for text in ["", "<", "</RelOp></RelOp>", "<RelOp ", "<RelOp NodeId=\"x\"><RelOp NodeId=\"1\">", "< RelOp >"] {
            assert!(parents(text).is_empty(), "{text}");
        }
    }
}
