//! What can go wrong when a value is computed or converted.
//!
//! Each variant is one message of SQL Server; its `Display` is that message's text and [`EvalError::number`] its
//! number. What computes a value answers with `Result<Value, Box<EvalError>>`, which is as small as the value.
//! Severity, state and line belong to the layer that reports to the client.

use compact_str::CompactString;
use millpond_xml::Fault;
use thiserror::Error;

/// Why an expression, a conversion or an assignment has no value.
///
/// Type names are T-SQL's short names (`int`, `numeric`), as the messages want them.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EvalError {
    /// 206: the two types never meet, for instance `date` and `int`.
    #[error("Operand type clash: {left} is incompatible with {right}")]
    OperandClash {
        /// Type that was given.
        left: &'static str,
        /// Type that was wanted.
        right: &'static str,
    },
    /// 210: the bytes are none of a `datetime` or `smalldatetime`.
    #[error("Conversion failed when converting datetime from binary/varbinary string.")]
    InvalidDateBytes,
    /// 220: an integer does not fit a smaller integer.
    #[error("Arithmetic overflow error for data type {type_name}, value = {value}.")]
    ValueOverflow {
        /// Target type.
        type_name: &'static str,
        /// The integer that does not fit.
        value: i64,
    },
    /// 232: a float does not fit an integer.
    #[error("Arithmetic overflow error for type {type_name}, value = {value}.")]
    FloatOverflow {
        /// Target type.
        type_name: &'static str,
        /// The float with six decimals.
        value: CompactString,
    },
    /// 234: money as text needs more room.
    #[error("There is insufficient result space to convert a money value to {type_name}.")]
    MoneySpace {
        /// Target type.
        type_name: &'static str,
    },
    /// 235 (`money`), 293 (`smallmoney`): the text is no amount of money.
    #[error("Cannot convert a char value to {type_name}. The char value has incorrect syntax.")]
    MoneySyntax {
        /// Target type.
        type_name: &'static str,
    },
    /// 236 (`money`), 294 (`smallmoney`): the amount in the text is too large.
    #[error("The conversion from char data type to {type_name} resulted in a {type_name} overflow error.")]
    MoneyOverflow {
        /// Target type.
        type_name: &'static str,
    },
    /// 237: money does not fit an integer, or `smallmoney`.
    #[error("There is insufficient result space to convert a money value to {type_name}.")]
    MoneyResultSpace {
        /// Target type.
        type_name: &'static str,
    },
    /// 241: the text is no date or time.
    #[error("Conversion failed when converting date and/or time from character string.")]
    InvalidDate,
    /// 242: the date lies outside the target's range.
    #[error("The conversion of a {from} data type to a {to} data type resulted in an out-of-range value.")]
    DateOutOfRange {
        /// Source type.
        from: &'static str,
        /// Target type.
        to: &'static str,
    },
    /// 244: the text's number does not fit `tinyint` (INT1) or `smallint` (INT2).
    #[error(
        "The conversion of the {from} value '{value}' overflowed an {column_kind} column. Use a larger integer column."
    )]
    SmallIntegerTextOverflow {
        /// Source type.
        from: &'static str,
        /// The text.
        value: CompactString,
        /// `INT1` or `INT2`.
        column_kind: &'static str,
    },
    /// 245: the text is no value of the type.
    #[error("Conversion failed when converting the {from} value '{value}' to data type {to}.")]
    ConversionFailed {
        /// The text.
        value: CompactString,
        /// Source type.
        from: &'static str,
        /// Target type.
        to: &'static str,
    },
    /// 248: the text's number does not fit `int`.
    #[error("The conversion of the {from} value '{value}' overflowed an int column.")]
    IntTextOverflow {
        /// Source type.
        from: &'static str,
        /// The text.
        value: CompactString,
    },
    /// 257: the conversion must be written out.
    #[error(
        "Implicit conversion from data type {from} to {to} is not allowed. Use the CONVERT function to run this query."
    )]
    ImplicitNotAllowed {
        /// Source type.
        from: &'static str,
        /// Target type.
        to: &'static str,
    },
    /// 281: CONVERT has no such style.
    #[error("{style} is not a valid style number when converting from {from} to a character string.")]
    InvalidStyle {
        /// The style.
        style: i32,
        /// Source type.
        from: &'static str,
    },
    /// 9807: the text is a date, and none of the style that CONVERT names.
    #[error(
        "The input character string does not follow style {style}, either change the input character string or use a different style."
    )]
    StyleMismatch {
        /// The style.
        style: i32,
    },
    /// 9809: CONVERT between these types has no such style.
    #[error("The style {style} is not supported for conversions from {from} to {to}.")]
    StyleUnsupported {
        /// The style.
        style: i32,
        /// Source type.
        from: &'static str,
        /// Target type.
        to: &'static str,
    },
    /// 295: the text is no `smalldatetime`.
    #[error("Conversion failed when converting character string to smalldatetime data type.")]
    InvalidSmallDateTime,
    /// 402: the operator does not take this pair of types.
    #[error("The data types {left} and {right} are incompatible in the {operator} operator.")]
    IncompatibleTypes {
        /// Left operand's type.
        left: &'static str,
        /// Right operand's type.
        right: &'static str,
        /// The operator as the message names it.
        operator: &'static str,
    },
    /// 517: a date after addition lies outside the type's range.
    #[error("Adding a value to a '{type_name}' column caused an overflow.")]
    DateAddOverflow {
        /// The date's type.
        type_name: &'static str,
    },
    /// 529: no conversion exists at all.
    #[error("Explicit conversion from data type {from} to {to} is not allowed.")]
    ExplicitNotAllowed {
        /// Source type.
        from: &'static str,
        /// Target type.
        to: &'static str,
    },
    /// 535: the difference does not fit the result.
    #[error(
        "The {function} function resulted in an overflow. The number of dateparts separating two date/time instances is too large. Try to use {function} with a less precise datepart."
    )]
    DateDiffOverflow {
        /// `datediff` or `datediff_big`.
        function: &'static str,
    },
    /// 8114: the value is no value of the type (types that do not quote the value).
    #[error("Error converting data type {from} to {to}.")]
    ConversionError {
        /// Source type.
        from: &'static str,
        /// Target type.
        to: &'static str,
    },
    /// 8115: the result does not fit its type.
    #[error("Arithmetic overflow error converting expression to data type {type_name}.")]
    Overflow {
        /// Type of the result.
        type_name: &'static str,
    },
    /// 8115: the same, where the message names the source.
    #[error("Arithmetic overflow error converting {from} to data type {to}.")]
    ConvertOverflow {
        /// Source type.
        from: &'static str,
        /// Target type.
        to: &'static str,
    },
    /// 8117: the operator does not take this type.
    #[error("Operand data type {type_name} is invalid for {operator} operator.")]
    InvalidOperand {
        /// The operand's type.
        type_name: &'static str,
        /// The operator as the message names it.
        operator: &'static str,
    },
    /// 8134: division or modulo by zero.
    #[error("Divide by zero error encountered.")]
    DivideByZero,
    /// 8152: a text or binary value is longer than its column. (2628 adds table and column, which only the caller knows.)
    #[error("String or binary data would be truncated.")]
    Truncation {
        /// The longest beginning of the value that fits, as 2628 shows it.
        value: CompactString,
    },
    /// 8169: the text is no `uniqueidentifier`.
    #[error("Conversion failed when converting from a character string to uniqueidentifier.")]
    InvalidGuid,
    /// 8170: a `uniqueidentifier` as text needs 36 characters.
    #[error("Insufficient result space to convert uniqueidentifier value to char.")]
    GuidSpace,
    /// 9806: the date function knows this part for no type.
    #[error("The datepart {part} is not supported by date function {function}.")]
    DatePartNever {
        /// Name of the part.
        part: &'static str,
        /// `datediff`, `datediff_big`.
        function: &'static str,
    },
    /// 9810: the date function does not know this part for this type.
    #[error("The datepart {part} is not supported by date function {function} for data type {type_name}.")]
    DatePartUnsupported {
        /// Name of the part.
        part: &'static str,
        /// `dateadd`, `datediff`, `datepart`, `datename`.
        function: &'static str,
        /// Type of the date.
        type_name: &'static str,
    },
    /// 6335: elements of an `xml` value are nested too deeply.
    #[error("XML datatype instance has too many levels of nested nodes. Maximum allowed depth is {levels} levels.")]
    XmlTooDeep {
        /// How deeply they may be.
        levels: usize,
    },
    /// 6354: a text type is too short for an `xml` value, which is never cut.
    #[error("Target string size is too small to represent the XML instance")]
    XmlTarget,
    /// 6355: a code page lacks a character of an `xml` value.
    #[error("Conversion of one or more characters from XML to target collation impossible")]
    XmlCharacters,
    /// 6358: CONVERT to `xml` has no such style.
    #[error("{style} is not a valid style number when converting to XML.")]
    XmlStyle {
        /// The style.
        style: i32,
    },
    /// 6359: a document type where the style takes none.
    #[error(
        "Parsing XML with internal subset DTDs not allowed. Use CONVERT with style option 2 to enable limited internal \
         subset DTD support."
    )]
    XmlDocumentType,
    /// 9400 to 9480: the text is no XML.
    #[error("XML parsing: line {line}, character {character}, {}", words(*fault))]
    Xml {
        /// What is wrong.
        fault: Fault,
        /// Line, from 1.
        line: u32,
        /// Character in the line, from 1.
        character: u32,
    },
}

impl EvalError {
    /// SQL Server's message number.
    #[must_use]
    pub fn number(&self) -> i32 {
        match self {
            Self::OperandClash { .. } => 206,
            Self::InvalidDateBytes => 210,
            Self::ValueOverflow { .. } => 220,
            Self::FloatOverflow { .. } => 232,
            Self::MoneySpace { .. } => 234,
            Self::MoneySyntax { type_name } => by_money_type(type_name, 235, 293),
            Self::MoneyOverflow { type_name } => by_money_type(type_name, 236, 294),
            Self::MoneyResultSpace { .. } => 237,
            Self::InvalidDate => 241,
            Self::DateOutOfRange { .. } => 242,
            Self::SmallIntegerTextOverflow { .. } => 244,
            Self::ConversionFailed { .. } => 245,
            Self::IntTextOverflow { .. } => 248,
            Self::ImplicitNotAllowed { .. } => 257,
            Self::InvalidStyle { .. } => 281,
            Self::InvalidSmallDateTime => 295,
            Self::IncompatibleTypes { .. } => 402,
            Self::DateAddOverflow { .. } => 517,
            Self::ExplicitNotAllowed { .. } => 529,
            Self::DateDiffOverflow { .. } => 535,
            Self::ConversionError { .. } => 8114,
            Self::Overflow { .. } | Self::ConvertOverflow { .. } => 8115,
            Self::InvalidOperand { .. } => 8117,
            Self::DivideByZero => 8134,
            Self::Truncation { .. } => 8152,
            Self::InvalidGuid => 8169,
            Self::GuidSpace => 8170,
            Self::DatePartNever { .. } => 9806,
            Self::StyleMismatch { .. } => 9807,
            Self::StyleUnsupported { .. } => 9809,
            Self::DatePartUnsupported { .. } => 9810,
            Self::XmlTooDeep { .. } => 6335,
            Self::XmlTarget => 6354,
            Self::XmlCharacters => 6355,
            Self::XmlStyle { .. } => 6358,
            Self::XmlDocumentType => 6359,
            Self::Xml { fault, .. } => number_and_words(*fault).0,
        }
    }
}

fn by_money_type(type_name: &str, money: i32, smallmoney: i32) -> i32 {
    if type_name == "smallmoney" { smallmoney } else { money }
}

/// What the message of a fault says after the place.
fn words(fault: Fault) -> &'static str {
    number_and_words(fault).1
}

fn number_and_words(fault: Fault) -> (i32, &'static str) {
    match fault {
        Fault::UnexpectedEnd => (9400, "unexpected end of input"),
        Fault::UnknownEncoding => (9401, "unrecognized encoding"),
        Fault::OtherEncoding => (9402, "unable to switch the encoding"),
        Fault::SpaceExpected => (9410, "whitespace expected"),
        Fault::SemicolonExpected => (9411, "semicolon expected"),
        Fault::CloseExpected => (9412, "'>' expected"),
        Fault::QuoteExpected => (9413, "A string literal was expected"),
        Fault::EqualExpected => (9414, "equal expected"),
        Fault::LessInAttribute => (9415, "well formed check: no '<' in attribute value"),
        Fault::HexDigitExpected => (9416, "hexadecimal digit expected"),
        Fault::DigitExpected => (9417, "decimal digit expected"),
        Fault::IllegalChar => (9420, "illegal xml character"),
        Fault::IllegalNameChar => (9421, "illegal name character"),
        Fault::DocumentSyntax => (9422, "incorrect document syntax"),
        Fault::CdataSyntax => (9423, "incorrect CDATA section syntax"),
        Fault::CommentSyntax => (9424, "incorrect comment syntax"),
        Fault::EndTag => (9436, "end tag does not match start tag"),
        Fault::DuplicateAttribute => (9437, "duplicate attribute"),
        Fault::DeclarationNotFirst => (9438, "text/xmldecl not at the beginning of input"),
        Fault::DeclarationSyntax => (9441, "incorrect xml declaration syntax"),
        Fault::UndeclaredEntity => (9448, "well formed check: undeclared entity"),
        Fault::CdataEnd => (9454, "no ']]>' in element content"),
        Fault::IllegalQualifiedName => (9455, "illegal qualified name character"),
        Fault::SecondColon => (9456, "multiple colons in qualified name"),
        Fault::RedeclaredPrefix => (9458, "redeclared prefix"),
        Fault::UndeclaredPrefix => (9459, "undeclared prefix"),
        Fault::EmptyNamespace => (9460, "non default namespace with empty uri"),
        Fault::SpaceValue => (9463, "xml:space has a non-legal value"),
        Fault::XmlPrefix => (
            9464,
            "XML namespace prefix 'xml' can only be associated with the URI http://www.w3.org/XML/1998/namespace. \
             This URI cannot be used with other prefixes.",
        ),
        Fault::XmlnsPrefix => (9465, "XML namespace prefix 'xmlns' is reserved for use by XML."),
        Fault::XmlNamespace => (
            9466,
            "XML namespace xml namespace URI (http://www.w3.org/XML/1998/namespace) must be assigned only to \
             prefix 'xml'.",
        ),
        Fault::XmlnsNamespace => {
            (9467, "xmlns namespace URI (http://www.w3.org/2000/xmlns/) is reserved and must not be used.")
        }
        Fault::Unsupported => (9480, "unsupported xml"),
    }
}
