"""The version of armwise."""

VERSION = "0.1.0"
