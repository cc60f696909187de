//! The output file: sections, metadata, reflection.
