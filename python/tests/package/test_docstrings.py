"""Runs the examples of all docstrings, and finds public objects without a docstring or example."""

import doctest
import enum
import importlib
import inspect
import os
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import pytest

import kalah
from kalah import _kalah

#: Modules that need packages of other projects.
ADAPTERS = {
    "kalah._display.picture",
    "kalah._environments.single_game",
    "kalah.gymnasium",
    "kalah.open_spiel",
    "kalah.pettingzoo",
}

#: The packages with the base classes of those modules.
OTHERS = {"gymnasium", "pettingzoo", "pyspiel"}

#: Public classes, functions and methods without an example, with the reason.
WITHOUT_EXAMPLE = {
    "kalah.KalahError": "the examples of functions that raise it have it",
    "kalah.ParseError": "the examples of functions that raise it have it",
    "kalah.TableError": "the examples of functions that raise it have it",
    "kalah.IllegalMoveError": "the example of kalah.Position.play has it",
}


def modules() -> Iterator[ModuleType]:
    """Returns the package and its modules, the private ones included."""
    yield kalah
    for module in pkgutil.walk_packages(kalah.__path__, "kalah."):
        try:
            yield importlib.import_module(module.name)
        except ImportError:
            if module.name not in ADAPTERS or "CI" in os.environ:
                raise


def is_documented(name: str, member: Any) -> bool:
    """Returns whether a member of a class is part of its documented interface."""
    if name.startswith("_"):
        return False
    return (
        inspect.isroutine(member)
        or inspect.isdatadescriptor(member)
        or isinstance(member, (property, staticmethod, classmethod))
    )


def is_foreign(name: str, documented_class: type) -> bool:
    """Returns whether a method overrides one of another project, which documents it."""
    bases = documented_class.__mro__[1:]
    return any(name in vars(base) for base in bases if base.__module__.partition(".")[0] in OTHERS)


def members(class_name: str, documented_class: type) -> Iterator[tuple[str, Any]]:
    """Returns the methods and properties that a class itself defines."""
    for name, member in vars(documented_class).items():
        if is_documented(name, member) and not is_foreign(name, documented_class):
            yield f"{class_name}.{name}", member


def public_objects() -> dict[str, Any]:
    """Returns the public objects of the package, and the members of its classes, by their names.

    The names are in order, because the processes that share the tests need the same order, and that
    of the attributes of a class of the extension is random.
    """
    objects: dict[str, Any] = {}
    for module in modules():
        if "._" in module.__name__:
            continue
        objects[module.__name__] = module
        for name in module.__all__:
            value = getattr(module, name)
            is_own = getattr(value, "__module__", "").partition(".")[0] == "kalah"
            if not is_own or not (inspect.isclass(value) or inspect.isroutine(value)):
                continue
            objects[f"{module.__name__}.{name}"] = value
            if inspect.isclass(value):
                objects.update(members(f"{module.__name__}.{name}", value))
    return dict(sorted(objects.items()))


OBJECTS = public_objects()


def documentation(member: Any) -> str:
    """Returns the docstring of an object itself, which is not that of its base class."""
    if isinstance(member, (staticmethod, classmethod)):
        member = member.__func__
    return member.__doc__ or ""


def needs_example(name: str, member: Any) -> bool:
    """Returns whether an object must have an example: a class, function or method of the extension.

    Exceptions occur in the examples of the functions that raise them. The modules that are written
    in Python explain their classes together.
    """
    if inspect.isclass(member):
        return member in EXTENSION_OBJECTS and not issubclass(member, Exception)
    owner = OBJECTS.get(name.rpartition(".")[0])
    is_of_extension = owner in EXTENSION_OBJECTS or member in EXTENSION_OBJECTS
    return is_of_extension and inspect.isroutine(member)


#: The classes and functions of the extension module.
EXTENSION_OBJECTS = [
    value for value in vars(_kalah).values() if inspect.isclass(value) or inspect.isroutine(value)
]


def test_public_objects_are_found() -> None:
    assert {"kalah", "kalah.Position", "kalah.Position.start", "kalah.Position.lead"} <= set(
        OBJECTS
    )


@pytest.mark.parametrize("name", OBJECTS)
def test_every_public_object_has_a_docstring(name: str) -> None:
    assert documentation(OBJECTS[name]).strip(), f"{name} has no docstring"


@pytest.mark.parametrize("name", OBJECTS)
def test_every_public_class_and_function_of_the_extension_has_an_example(name: str) -> None:
    if needs_example(name, OBJECTS[name]):
        assert ">>>" in documentation(OBJECTS[name]), f"{name} has no example"


def documented_texts() -> dict[str, str]:
    """Returns every docstring with examples, those of private modules included."""
    texts = {name: documentation(member) for name, member in OBJECTS.items()}
    for module in modules():
        texts.setdefault(module.__name__, module.__doc__ or "")
        for name, value in vars(module).items():
            if getattr(value, "__module__", None) != module.__name__:
                continue
            texts.setdefault(f"{module.__name__}.{name}", value.__doc__ or "")
            if inspect.isclass(value) and not issubclass(value, enum.Enum):
                for member_name, member in members(f"{module.__name__}.{name}", value):
                    texts.setdefault(member_name, documentation(member))
    return {name: text for name, text in texts.items() if ">>>" in text}


@pytest.mark.parametrize(("name", "text"), documented_texts().items(), ids=documented_texts())
def test_examples_run(name: str, text: str) -> None:
    test = doctest.DocTestParser().get_doctest(text, {}, name, None, None)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.REPORT_NDIFF)
    output: list[str] = []
    runner.run(test, out=output.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(output)
