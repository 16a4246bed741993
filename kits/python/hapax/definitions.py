"""Definitions: the named lists of steps that runs execute, in versions that never change."""

from __future__ import annotations

import json
from typing import Any, Mapping, Union

from .connection import Connection


class Definitions:
    """Registers definitions and reads them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def register(self, definition: Union[str, Mapping[str, Any]]) -> bool:
        """Registers a version, in the form of a definition file or as its text. Returns False if it was registered before.

        Such as `{"name": "trial", "version": "1", "steps": [{"name": "wait", "timer": {"duration": "14d"}}]}`.

        Raises Refused: with all errors at once (INVALID_FIELD), or if the version has other steps (DEFINITION_EXISTS).
        """
        text = definition if isinstance(definition, str) else json.dumps(definition)
        return not self._connection.call("DefinitionService/RegisterDefinition", {"json": text}).response.already

    def get(self, name: str, version: str = "") -> Any:
        """Returns the message of a version, by default of the one registered last; or raises Refused (DEFINITION_NOT_FOUND)."""
        fields = {"name": name, "version": version}
        return self._connection.call("DefinitionService/GetDefinition", fields).response.definition
