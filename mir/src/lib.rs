//! Machine IR, generic over a target.
