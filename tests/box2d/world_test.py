# SPDX-License-Identifier: Apache-2.0
"""Compares the solver with box2d 2.3.10 in random worlds, bit for bit in every step.

Each world has six bodies (two chains of joints with motors and limits, and a single body) that fall on random ground
and are pushed hard now and then, so that they hit the ground fast, rest on it and fall asleep. ENVPOOL_TEST_BOX2D sets
how many worlds are compared, for 400 steps each; 2500 worlds are a million steps.
"""

import ctypes
import os

import numpy as np
import pytest

from tests.support import libraries
from tests.support.capi import pointer
from tests.support.samples import DAY

Box2D = pytest.importorskip("Box2D")

WORLDS = int(os.environ.get("ENVPOOL_TEST_BOX2D", 12))
FIRST = 1000 * DAY
STEPS, BODIES, JOINTS = 400, 6, ((0, 1), (1, 2), (3, 4))
FLOAT = np.float32
PART = np.dtype(
    [
        ("count", "i4"),
        ("vertex", "f4", (6, 2)),
        ("friction", "f4"),
        ("restitution", "f4"),
        ("density", "f4"),
        ("at", "f4", 2),
        ("angle", "f4"),
    ]
)
HINGE = np.dtype(
    [
        ("first", "i4"),
        ("second", "i4"),
        ("anchor_first", "f4", 2),
        ("anchor_second", "f4", 2),
        ("reference", "f4"),
        ("low", "f4"),
        ("high", "f4"),
    ]
)
SCENE = np.dtype(
    [
        ("body", PART, 6),
        ("hinge", HINGE, 3),
        ("motor_speed", "f4", 3),
        ("motor_torque", "f4", 3),
        ("ground_count", "i4"),
        ("ground", PART, 32),
        ("ground_of", "i4", 32),
    ]
)


def random_shape(part, random, size):
    count = int(random.integers(3, 7))
    angles = np.sort(random.uniform(0, 2 * np.pi / count, count) + np.arange(count) * 2 * np.pi / count)
    part["count"] = count
    part["vertex"][:count] = size * np.stack([np.cos(angles), np.sin(angles)], 1)


def random_scene(random):
    scene = np.zeros((), SCENE)
    heights = random.uniform(0, 2.5, 21)
    count = 20 + int(random.integers(0, 9))
    scene["ground_count"] = count
    shared = random.random() < 0.5
    for i in range(count):
        part = scene["ground"][i]
        part["friction"] = random.choice([0.1, 0.5, 2.5])
        if i < count - 20:
            random_shape(part, random, random.uniform(0.3, 1.5))
            part["vertex"] += random.uniform([0, 0], [20, 3], 2)
        else:
            left = i - (count - 20)
            part["count"] = 2
            part["vertex"][:2] = [(left, heights[left]), (left + 1, heights[left + 1])]
        scene["ground_of"][i] = 0 if shared else i
    for b in range(BODIES):
        part = scene["body"][b]
        random_shape(part, random, random.uniform(0.2, 0.9))
        part["friction"], part["restitution"] = random.uniform(0, 1), random.choice([0, 0, 0.4])
        part["density"], part["angle"] = random.uniform(0.5, 5), random.uniform(-1, 1)
        part["at"] = random.uniform([3, 3], [17, 6], 2)
    for h, (first, second) in enumerate(JOINTS):
        hinge = scene["hinge"][h]
        hinge["first"], hinge["second"] = first, second
        hinge["anchor_first"], hinge["anchor_second"] = random.uniform(-0.5, 0.5, (2, 2))
        scene["body"][second]["at"] = scene["body"][first]["at"] + random.uniform(-0.5, 0.5, 2)
        hinge["low"], hinge["high"] = random.uniform(-1, -0.2), random.uniform(0.2, 1)
        scene["motor_speed"][h], scene["motor_torque"][h] = random.uniform(-4, 4), random.choice([0, 5, 80])
    return scene


def vertices(part):
    return [(float(x), float(y)) for x, y in part["vertex"][: part["count"]]]


def reference_world(scene):
    world = Box2D.b2World(gravity=(0, -10))
    grounds = {}
    for i in range(int(scene["ground_count"])):
        part, of = scene["ground"][i], int(scene["ground_of"][i])
        if of not in grounds:
            grounds[of] = world.CreateStaticBody()
        shape = Box2D.b2EdgeShape if part["count"] == 2 else Box2D.b2PolygonShape
        grounds[of].CreateFixture(shape=shape(vertices=vertices(part)), friction=float(part["friction"]))
    bodies = []
    for part in scene["body"]:
        fixture = Box2D.b2FixtureDef(
            shape=Box2D.b2PolygonShape(vertices=vertices(part)),
            density=float(part["density"]),
            friction=float(part["friction"]),
            restitution=float(part["restitution"]),
            categoryBits=2,
            maskBits=1,
        )
        at = tuple(map(float, part["at"]))
        bodies.append(world.CreateDynamicBody(position=at, angle=float(part["angle"]), fixtures=fixture))
    for hinge, speed, torque in zip(scene["hinge"], scene["motor_speed"], scene["motor_torque"], strict=True):
        first, second = bodies[hinge["first"]], bodies[hinge["second"]]
        hinge["reference"] = FLOAT(second.angle) - FLOAT(first.angle)
        world.CreateJoint(
            Box2D.b2RevoluteJointDef(
                bodyA=first,
                bodyB=second,
                localAnchorA=tuple(map(float, hinge["anchor_first"])),
                localAnchorB=tuple(map(float, hinge["anchor_second"])),
                enableMotor=True,
                enableLimit=True,
                maxMotorTorque=float(torque),
                motorSpeed=float(speed),
                lowerAngle=float(hinge["low"]),
                upperAngle=float(hinge["high"]),
            )
        )
    return world, bodies


class Vec(ctypes.Structure):
    _fields_ = [("x", ctypes.c_float), ("y", ctypes.c_float)]


def rounds_differently(library, angles):
    """Returns whether the C library's sine or cosine of an angle has another last bit than ours, as rarely happens."""
    ours = np.empty((2, len(angles)), FLOAT)
    library.test_rotations(pointer(angles), pointer(ours[0]), pointer(ours[1]), ctypes.c_int64(len(angles)))
    libm = ctypes.CDLL("libm.so.6")
    for name, results in zip(("sinf", "cosf"), ours, strict=True):
        function = getattr(libm, name)
        function.restype, function.argtypes = ctypes.c_float, [ctypes.c_float]
        if any(FLOAT(function(angle)) != result for angle, result in zip(angles.tolist(), results, strict=True)):
            return True
    return False


@pytest.mark.parametrize("part", range(4))
def test_random_worlds(part):
    """A world is compared until the C library's sine or cosine has another last bit: one of 2,500 worlds here."""
    library = ctypes.CDLL(libraries.library("box2d_testing"))
    left = 0
    library.test_scene_bytes.restype = library.test_world_bytes.restype = ctypes.c_int64
    slept = 0
    for seed in range(FIRST + part, FIRST + WORLDS, 4):
        random = np.random.default_rng(seed)
        scene = random_scene(random)
        world, bodies = reference_world(scene)
        memory = np.zeros(library.test_scene_bytes(), np.uint8)
        memory[: SCENE.itemsize] = np.frombuffer(scene.tobytes(), np.uint8)
        state = np.zeros(library.test_world_bytes(), np.uint8)
        library.test_world_begin(pointer(memory), pointer(state))
        ours, theirs = np.empty((BODIES, 7), FLOAT), np.empty((BODIES, 7), FLOAT)
        for step in range(STEPS):
            pushed, impulse, at = -1, (0.0, 0.0), (0.0, 0.0)
            if step < STEPS // 2 and random.random() < 0.05:
                pushed = int(random.integers(BODIES))
                body = bodies[pushed]
                impulse = tuple(map(float, FLOAT(random.uniform(-1, 1, 2) * body.mass * random.choice([3, 40]))))
                at = tuple(map(float, FLOAT(np.array(body.worldCenter) + random.uniform(-0.2, 0.2, 2))))
                body.ApplyLinearImpulse(impulse, at, wake=True)
            angles = np.array([body.angle for body in bodies], FLOAT)
            world.Step(0.02, 30, 20)
            library.test_world_step(
                pointer(memory), pointer(state), ctypes.c_int32(pushed), Vec(*impulse), Vec(*at), pointer(ours)
            )
            theirs[:] = [(*b.position, b.angle, *b.linearVelocity, b.angularVelocity, b.awake) for b in bodies]
            if not np.array_equal(ours, theirs):
                assert rounds_differently(library, angles), f"seed {seed}, step {step}:\n{ours - theirs}"
                left += 1
                break
        slept += sum(not body.awake for body in bodies)
    assert slept > 0 or WORLDS < 12
    assert left <= 1 + WORLDS // 1000
