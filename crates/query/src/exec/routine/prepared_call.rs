//! sp_executesql, and sp_prepare and its kin, as procedures that a text calls.
//!
//! What always holds: a handle is the session's, whether a text or the wire made it, and a call by it runs the text as
//! sp_executesql would with the same values.

use std::sync::Arc;

use millpond_catalog::run::Run;
use millpond_code::prepared_calls::Prepared;
use millpond_engine::system_call::CallArg;
use millpond_message as message;
use millpond_message::error::{SqlError, SqlResult};
use millpond_message::sink::DoneKind;
use millpond_types::{SqlType, Value};

use crate::exec::batch::frame::Finished;
use crate::exec::batch::{BatchRun, frame};
use crate::exec::ddl::table_type;
use crate::exec::routine::module::Outputs;
use crate::exec::routine::{cursor, prepared};
use millpond_engine::arguments::RpcParam;
use millpond_names::prepared::{BoundText, bind_prepared, is_no_text};

/// Procedures that run or keep a text with parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::exec) enum TextCall {
    /// `sp_executesql text, declarations, values`
    ExecuteSql,
    /// `sp_prepare @handle OUTPUT, declarations, text`
    Prepare,
    /// `sp_prepexec @handle OUTPUT, declarations, text, values`
    PrepareExecute,
    /// `sp_execute @handle, values`
    Execute,
    /// `sp_unprepare @handle`
    Unprepare,
}

impl TextCall {
    /// The procedure of a name.
    pub fn of(name: &str) -> Option<TextCall> {
        const NAMES: [(&str, TextCall); 5] = [
            ("sp_executesql", TextCall::ExecuteSql),
            ("sp_prepare", TextCall::Prepare),
            ("sp_prepexec", TextCall::PrepareExecute),
            ("sp_execute", TextCall::Execute),
            ("sp_unprepare", TextCall::Unprepare),
        ];
        NAMES.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, call)| *call)
    }
}

/// The handle of sp_execute and sp_unprepare.
///
/// # Errors
/// 214
pub(in crate::exec) fn handle_in(value: Option<&Value>) -> SqlResult<i32> {
    match value.and_then(Value::as_i64) {
        Some(handle) => Ok(i32::try_from(handle).unwrap_or(0)),
        None => Err(SqlError::of(214, 2, &[&"@handle", &"int"])),
    }
}

/// Whether the fourth argument of sp_prepare asks for the columns of the result.
pub(in crate::exec) fn wants_columns(options: Option<&Value>) -> bool {
    options.and_then(Value::as_i64) == Some(1)
}

/// EXEC of one of them in a text.
///
/// # Errors
/// 201, 214 and those of the declarations; 8179 for an unknown handle; what the text raises.
pub(in crate::exec) fn call_text(
    run: &mut BatchRun<'_>,
    call: TextCall,
    args: &[CallArg],
) -> SqlResult<(i32, Outputs)> {
    match call {
        TextCall::ExecuteSql if args.first().is_some_and(|arg| is_no_text(arg.value.as_ref(), &arg.sql)) => {
            Ok((0, Outputs::new()))
        }
        TextCall::ExecuteSql => {
            let prepared = prepared_of(run, args, (0, 1))?;
            run_prepared(run, &prepared, args, 2)
        }
        TextCall::Prepare => {
            let wants_columns = wants_columns(args.get(3).and_then(|options| options.value.as_ref()));
            let prepared = text_to_keep(run, "sp_prepare", args)?;
            frame::nested(run, |session, sink| {
                prepared::compile_prepared(session, &prepared, wants_columns, sink).map(|()| Finished::default())
            })?;
            Ok((0, vec![keep(run, prepared)?]))
        }
        TextCall::PrepareExecute => {
            let prepared = text_to_keep(run, "sp_prepexec", args)?;
            let handle = keep(run, prepared.clone())?;
            let (status, mut outputs) = run_prepared(run, &prepared, args, 3)?;
            outputs.push(handle);
            Ok((status, outputs))
        }
        TextCall::Execute => {
            let prepared = run.session.prepared.get(handle_of(args)?)?;
            run_prepared(run, &prepared, args, 1)
        }
        TextCall::Unprepare => {
            run.session.prepared.remove(handle_of(args)?)?;
            Ok((0, Outputs::new()))
        }
    }
}

/// The text of sp_prepare and sp_prepexec.
fn text_to_keep(run: &mut BatchRun<'_>, procedure: &str, args: &[CallArg]) -> SqlResult<Prepared> {
    const WANTED: [&str; 3] = ["@handle", "@params", "@stmt"];
    if let Some(missing) = WANTED.get(args.len()) {
        return Err(message::missing_argument(procedure, missing).of_call(&Arc::from(procedure)));
    }
    prepared_of(run, args, (2, 1))
}

/// Keeps a text under a handle, which goes into the first argument.
fn keep(run: &mut BatchRun<'_>, prepared: Prepared) -> SqlResult<(usize, Value, SqlType)> {
    let handle = run.session.prepared.add(prepared)?;
    Ok((0, Value::Int(handle), SqlType::Int))
}

/// The text and the declarations among the arguments.
pub(in crate::exec) fn prepared_of(
    run: &mut BatchRun<'_>,
    args: &[CallArg],
    (text, declarations): (usize, usize),
) -> SqlResult<Prepared> {
    let param = |index: usize| {
        args.get(index).map(|arg: &CallArg| RpcParam {
            name: arg.name.clone().unwrap_or_default(),
            sql_type: arg.sql,
            value: arg.value.clone(),
            output: arg.output,
            table: None,
        })
    };
    prepared::prepared_of(run.session, param(text).as_ref(), param(declarations).as_ref())
}

/// Runs a text with the arguments from `first` on.
pub(in crate::exec) fn run_prepared(
    run: &mut BatchRun<'_>,
    prepared: &Prepared,
    args: &[CallArg],
    first: usize,
) -> SqlResult<(i32, Outputs)> {
    let given = args.get(first..).unwrap_or_default();
    let BoundText { parameters, wanted, tables, cursors } = bind_prepared(prepared, given, run.ctx.cast_rules())?;
    run.session.handed = cursors.iter().map(|(parameter, _)| (parameter.clone(), None)).collect();
    let finished = frame::nested(run, |session, sink| {
        // The procedure is a level, and the text in it another.
        session.facts.nest_level += 1;
        table_type::with_tables(session, tables, sink, |session, sink| {
            session.run_text(&prepared.text, parameters, DoneKind::InProcedure, sink)
        })
    });
    cursor::take_back(run, &cursors);
    let finished = finished?;
    let outputs = wanted.iter().enumerate().filter_map(|(index, position)| {
        let position = (*position)? + first;
        args[position]
            .output
            .then(|| (position, finished.parameters[index].clone(), prepared.declared.signature.types[index]))
    });
    Ok((finished.status, outputs.collect()))
}

fn handle_of(args: &[CallArg]) -> SqlResult<i32> {
    handle_in(args.first().and_then(|arg| arg.value.as_ref()))
}
