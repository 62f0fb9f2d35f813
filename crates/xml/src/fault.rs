//! What is wrong with a text that is no XML, and where.

/// What is wrong. Each is one of SQL Server's messages of parsing; which number it has is known where errors are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Fault {
    /// The text ends in the midst of something.
    UnexpectedEnd,
    /// No encoding of the name is known.
    UnknownEncoding,
    /// The declaration names an encoding that the text cannot have.
    OtherEncoding,
    /// White space has to stand between attributes.
    SpaceExpected,
    /// A reference ends with a semicolon.
    SemicolonExpected,
    /// `/` is followed by `>`.
    CloseExpected,
    /// An attribute has a value in quotes.
    QuoteExpected,
    /// An attribute has a value.
    EqualExpected,
    /// `<` in an attribute.
    LessInAttribute,
    /// `&#x` without digit.
    HexDigitExpected,
    /// `&#` without digit.
    DigitExpected,
    /// A character that no document may have.
    IllegalChar,
    /// A character that no name of a reference or an instruction has.
    IllegalNameChar,
    /// Something that is no part of a document.
    DocumentSyntax,
    /// `<![` that does not begin a CDATA section.
    CdataSyntax,
    /// `--` in a comment.
    CommentSyntax,
    /// An end tag of another name than the start tag.
    EndTag,
    /// Two attributes of one name.
    DuplicateAttribute,
    /// `<?xml` after the beginning.
    DeclarationNotFirst,
    /// A declaration that is none.
    DeclarationSyntax,
    /// A reference to an entity that is not one of the five.
    UndeclaredEntity,
    /// `]]>` in a text.
    CdataEnd,
    /// A character that no name of an element or attribute has.
    IllegalQualifiedName,
    /// `a:b:c`
    SecondColon,
    /// `xmlns:p` twice.
    RedeclaredPrefix,
    /// A prefix without declaration.
    UndeclaredPrefix,
    /// `xmlns:p=""`
    EmptyNamespace,
    /// `xml:space` that is neither `preserve` nor `default`.
    SpaceValue,
    /// `xml` bound to another namespace.
    XmlPrefix,
    /// `xmlns` declared as a prefix.
    XmlnsPrefix,
    /// The namespace of `xml` bound to another prefix.
    XmlNamespace,
    /// The namespace of `xmlns` bound to a prefix.
    XmlnsNamespace,
    /// A document type with declarations of its own, which are not read.
    Unsupported,
}

/// Why a text does not become a document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParseError {
    /// It is no XML.
    At {
        /// What is wrong.
        fault: Fault,
        /// Line, from 1.
        line: u32,
        /// Character in the line, from 1.
        character: u32,
    },
    /// Elements are nested deeper than [`DEPTH_MAX`](crate::DEPTH_MAX).
    TooDeep,
    /// A document type where none is taken.
    DocumentType,
    /// The work was given up.
    Halted(crate::Halt),
}

impl ParseError {
    /// A fault at a byte of a text; beyond its end it is at its last character.
    pub(crate) fn at(fault: Fault, text: &str, at: usize) -> ParseError {
        let at = text.floor_char_boundary(at.min(text.len()));
        let before = &text[..at];
        let line = 1 + before.bytes().filter(|byte| *byte == b'\n').count();
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        let character = text[start..at].chars().count() + usize::from(at < text.len());
        let bounded = |count: usize| u32::try_from(count.max(1)).unwrap_or(u32::MAX);
        ParseError::At { fault, line: bounded(line), character: bounded(character) }
    }

    /// The same where the text goes on at the byte; else the text ends too early.
    pub(crate) fn at_or_end(fault: Fault, text: &str, at: usize) -> ParseError {
        ParseError::at(if at >= text.len() { Fault::UnexpectedEnd } else { fault }, text, at)
    }
}
