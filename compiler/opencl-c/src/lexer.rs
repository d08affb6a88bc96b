//! Characters to preprocessing tokens.
