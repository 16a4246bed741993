"""The messages and methods of the API, from the descriptor set that is part of this package.

Generated Python code needs the version of protobuf that it was generated for. A descriptor set works with all of them. It has
a pool of its own, so that generated code of the same API may be in the process too.
"""

from __future__ import annotations

import functools
import pkgutil
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, unknown_fields


def _load() -> descriptor_pool.DescriptorPool:
    data = pkgutil.get_data("hapax", "hapax.binpb")
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString(data).file:
        pool.AddSerializedFile(file.SerializeToString())
    return pool


_POOL = _load()


def _class(descriptor: Any) -> Any:
    if hasattr(message_factory, "GetMessageClass"):
        return message_factory.GetMessageClass(descriptor)
    return message_factory.MessageFactory(_POOL).GetPrototype(descriptor)  # protobuf 3.21


@functools.lru_cache(maxsize=None)
def message(name: str) -> Any:
    """Returns the class of a message, such as `google.rpc.Status`."""
    return _class(_POOL.FindMessageTypeByName(name))


@functools.lru_cache(maxsize=None)
def method(name: str) -> tuple[str, Any, Any]:
    """Returns the path of a method, such as `RunService/StartRun`, and its classes of request and response.

    A service of another package than hapax.v1 has its full name.
    """
    service, _, rpc = (name if "." in name else f"hapax.v1.{name}").partition("/")
    found = _POOL.FindServiceByName(service).methods_by_name[rpc]
    return f"/{service}/{rpc}", _class(found.input_type), _class(found.output_type)


def unknown_in(of: Any, oneof: str) -> str:
    """Returns which field stands in a oneof instead of those of this API, such as `field 7`; empty if it is a known one."""
    if oneof not in of.DESCRIPTOR.oneofs_by_name or of.WhichOneof(oneof):
        return ""
    return ", ".join(f"field {each.field_number}" for each in unknown_fields.UnknownFieldSet(of)) or "no field"


def enum_name(of: Any, field: str) -> str:
    """Returns the name of an enum's value without its prefix, such as `COMPLETED` of `RUN_STATUS_COMPLETED`.

    A value that is newer than this package has its number instead.
    """
    kind = of.DESCRIPTOR.fields_by_name[field].enum_type
    value = kind.values_by_number.get(getattr(of, field))
    prefix = kind.values_by_number[0].name[: -len("UNSPECIFIED")]
    return value.name[len(prefix) :] if value else str(getattr(of, field))
