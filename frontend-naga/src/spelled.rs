//! What naga's reader of GLSL says, in the words of GLSL: tokens as they are written, errors of directives as sentences.

use naga::front::glsl::{ErrorKind, ExpectedToken, TokenValue as T};
use pp_rs::token::PreprocessorError as P;

/// The message of an error.
pub fn message(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::InvalidToken(found, wanted) => {
            let wanted: Vec<String> = wanted.iter().map(expected).collect();
            let wanted = match wanted.as_slice() {
                [] => return format!("{} is not expected here", token(found)),
                [one] => one.clone(),
                [most @ .., last] => format!("{} or {last}", most.join(", ")),
            };
            format!("expected {wanted}, found {}", token(found))
        }
        ErrorKind::PreprocessorError(e) => directive(e),
        other => {
            let text = other.to_string();
            // A word of a directive, and nothing else.
            let word = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
            word.map_or(text.clone(), |w| format!("`{w}` does not belong into this directive"))
        }
    }
}

fn expected(wanted: &ExpectedToken) -> String {
    match wanted {
        ExpectedToken::Token(t) => token(t),
        ExpectedToken::TypeName => "a type".into(),
        ExpectedToken::Identifier => "a name".into(),
        ExpectedToken::IntLiteral => "a whole number".into(),
        ExpectedToken::FloatLiteral => "a number".into(),
        ExpectedToken::BoolLiteral => "`true` or `false`".into(),
        ExpectedToken::Eof => "the end of the file".into(),
    }
}

/// A token as it is written.
fn token(t: &T) -> String {
    match t {
        T::Identifier(name) => format!("`{name}`"),
        T::FloatConstant(x) => format!("`{}`", x.value),
        T::IntConstant(x) => format!("`{}`", x.value),
        T::BoolConstant(b) => format!("`{b}`"),
        T::TypeName(_) => "a type".into(),
        T::MemoryQualifier(_) | T::Interpolation(_) | T::Sampling(_) | T::PrecisionQualifier(_) => "a qualifier".into(),
        plain => {
            let name = format!("{plain:?}");
            let sign = SIGNS.iter().find(|s| s.0 == name).map(|s| s.1.to_string());
            format!("`{}`", sign.unwrap_or_else(|| name.to_ascii_lowercase()))
        }
    }
}

/// Tokens that are no words.
#[rustfmt::skip]
const SIGNS: &[(&str, &str)] = &[
    ("Assign", "="), ("AddAssign", "+="), ("SubAssign", "-="), ("MulAssign", "*="), ("DivAssign", "/="),
    ("ModAssign", "%="), ("LeftShiftAssign", "<<="), ("RightShiftAssign", ">>="), ("AndAssign", "&="),
    ("XorAssign", "^="), ("OrAssign", "|="), ("Increment", "++"), ("Decrement", "--"), ("LogicalOr", "||"),
    ("LogicalAnd", "&&"), ("LogicalXor", "^^"), ("LessEqual", "<="), ("GreaterEqual", ">="), ("Equal", "=="),
    ("NotEqual", "!="), ("LeftShift", "<<"), ("RightShift", ">>"), ("LeftBrace", "{"), ("RightBrace", "}"),
    ("LeftParen", "("), ("RightParen", ")"), ("LeftBracket", "["), ("RightBracket", "]"), ("LeftAngle", "<"),
    ("RightAngle", ">"), ("Comma", ","), ("Semicolon", ";"), ("Colon", ":"), ("Dot", "."), ("Bang", "!"),
    ("Dash", "-"), ("Tilde", "~"), ("Plus", "+"), ("Star", "*"), ("Slash", "/"), ("Percent", "%"),
    ("VerticalBar", "|"), ("Caret", "^"), ("Ampersand", "&"), ("Question", "?"),
];

fn directive(e: &P) -> String {
    match e {
        P::IntegerOverflow => "the whole number has more than 32 bits",
        P::FloatParsingError => "this is no number",
        P::UnexpectedCharacter => "this character does not belong into GLSL",
        P::UnexpectedToken(_) => "this word is not expected in the directive",
        P::UnexpectedHash => "`#` begins a directive, which stands at the beginning of a line",
        P::UnexpectedNewLine => "the directive goes on behind the end of its line",
        P::UnexpectedEndOfInput => "the text ends too early",
        P::TooFewDefineArguments => "the macro is called with fewer arguments than it has",
        P::TooManyDefineArguments => "the macro is called with more arguments than it has",
        P::ErrorDirective => "`#error` is reached",
        P::DuplicateParameter => "two parameters of the macro have one name",
        P::UnknownDirective => "there is no such directive",
        P::DefineRedefined => "the macro is defined already, as something else",
        P::ElifOutsideOfBlock => "`#elif` stands outside of `#if` and `#endif`",
        P::ElseOutsideOfBlock => "`#else` stands outside of `#if` and `#endif`",
        P::EndifOutsideOfBlock => "`#endif` has no `#if`",
        P::ElifAfterElse => "`#elif` stands behind `#else`",
        P::MoreThanOneElse => "`#if` has two `#else`",
        P::UnfinishedBlock => "`#if` has no `#endif`",
        P::LineOverflow => "the number of the line is too large",
        P::NotSupported16BitLiteral => "numbers of 16 bits are not taken",
        P::NotSupported64BitLiteral => "numbers of 64 bits are not taken",
        P::MacroNotDefined => "there is no such macro",
        P::RecursionLimitReached => "macros are nested too deeply",
        P::DivisionByZero => "a division by zero in the condition",
        P::RemainderByZero => "a remainder of a division by zero in the condition",
    }
    .into()
}
