# SPDX-License-Identifier: Apache-2.0
# Written by `make generated` from what the environments declare. Do not edit.
"""The make functions as editors show them, with the options of each id. Their code is in registration.py."""

from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypedDict, overload

import numpy.typing as npt
from typing_extensions import Unpack

from envpool.python.dm_envpool import DMEnvPool
from envpool.python.env_spec import EnvSpec
from envpool.python.gym_envpool import GymEnvPool
from envpool.python.gymnasium_envpool import GymnasiumEnvPool, GymnasiumVectorEnv

class CommonOptions(TypedDict, total=False):
    """The options that all environments have; `envpool.make` describes them."""

    batch_size: int
    num_threads: int
    max_num_players: int
    thread_affinity_offset: int | Literal["auto"]
    base_path: str | PathLike[str]
    seed: int | Sequence[int] | None
    env_seed: Sequence[int] | None
    gym_reset_return_info: bool
    max_episode_steps: int | None
    reward_threshold: float | None
    render_mode: Literal["rgb_array", "human"] | None
    render_env_id: int | Sequence[int]
    render_width: int
    render_height: int
    render_camera_id: int
    autoreset_mode: Any  # "next_step", "same_step", "disabled", or gymnasium's AutoresetMode
    env_options: Sequence[Mapping[str, Any]]
    step_api: Literal["classic", "modern"] | None
    first_stream: int
    device: str
    in_place: bool
    episode_statistics: bool
    normalize_obs: bool | Mapping[str, float]
    normalize_reward: bool | Mapping[str, float]

AtariId = Literal[
    "Adventure-v5", "AirRaid-v5", "Alien-v5", "Amidar-v5", "Assault-v5", "Asterix-v5", "Asteroids-v5", "Atlantis-v5",
    "Atlantis2-v5", "Backgammon-v5", "BankHeist-v5", "BasicMath-v5", "BattleZone-v5", "BeamRider-v5", "Berzerk-v5",
    "Blackjack-v5", "Bowling-v5", "Boxing-v5", "Breakout-v5", "Carnival-v5", "Casino-v5", "Centipede-v5",
    "ChopperCommand-v5", "CrazyClimber-v5", "Crossbow-v5", "Darkchambers-v5", "Defender-v5", "DemonAttack-v5",
    "DonkeyKong-v5", "DoubleDunk-v5", "Earthworld-v5", "ElevatorAction-v5", "Enduro-v5", "Entombed-v5", "Et-v5",
    "FishingDerby-v5", "FlagCapture-v5", "Freeway-v5", "Frogger-v5", "Frostbite-v5", "Galaxian-v5", "Gopher-v5",
    "Gravitar-v5", "Hangman-v5", "HauntedHouse-v5", "Hero-v5", "HumanCannonball-v5", "IceHockey-v5", "Jamesbond-v5",
    "JourneyEscape-v5", "Kaboom-v5", "Kangaroo-v5", "KeystoneKapers-v5", "KingKong-v5", "Klax-v5", "Koolaid-v5",
    "Krull-v5", "KungFuMaster-v5", "LaserGates-v5", "LostLuggage-v5", "MarioBros-v5", "MiniatureGolf-v5",
    "MontezumaRevenge-v5", "MrDo-v5", "MsPacman-v5", "NameThisGame-v5", "Othello-v5", "Pacman-v5", "Phoenix-v5",
    "Pitfall-v5", "Pitfall2-v5", "Pong-v5", "Pooyan-v5", "PrivateEye-v5", "Qbert-v5", "Riverraid-v5", "RoadRunner-v5",
    "Robotank-v5", "Seaquest-v5", "SirLancelot-v5", "Skiing-v5", "Solaris-v5", "SpaceInvaders-v5", "SpaceWar-v5",
    "StarGunner-v5", "Superman-v5", "Surround-v5", "Tennis-v5", "Tetris-v5", "TicTacToe3d-v5", "TimePilot-v5",
    "Trondead-v5", "Turmoil-v5", "Tutankham-v5", "UpNDown-v5", "Venture-v5", "VideoCheckers-v5", "VideoChess-v5",
    "VideoCube-v5", "VideoPinball-v5", "WizardOfWor-v5", "WordZapper-v5", "YarsRevenge-v5", "Zaxxon-v5",
]

class AtariOptions(CommonOptions, total=False):
    """The options of AtariId."""

    task: str | bytes
    """The game: the file name of its ROM, without .bin; the default depends on the id."""
    rom: str | bytes
    """The bytes of the ROM; if empty, they come from rom_path or the package ale-py; the default is ''."""
    stack_num: int
    """Number of images in an observation, oldest first; an int from 1 to 64; the default is 4."""
    frame_skip: int
    """Number of video frames for which an action is repeated; an int from 1 to 1000; the default is 4."""
    noop_max: int
    """Maximum number of no-ops that a reset plays; the number is random; an int from 0 to 10000; the default is 30."""
    zero_discount_on_life_loss: bool
    """Losing a life sets the discount to 0; the default is False."""
    episodic_life: bool
    """Losing a life ends the episode, but not the game; the default is False."""
    reward_clip: bool
    """Rewards are clipped to their sign; info["reward"] is not; the default is False."""
    use_fire_reset: bool
    """A reset presses FIRE in the games that have it; the default is True."""
    img_height: int
    """Height of an image in pixels; 0 means the screen's height; an int from 0 to 4096; the default is 84."""
    img_width: int
    """Width of an image in pixels; 0 means the screen's width, 160; an int from 0 to 4096; the default is 84."""
    mode: int
    """Game variant; -1 is the game's default; an int from -1 to 100000; the default is -1."""
    difficulty: int
    """Difficulty switches; -1 is the default, 0; an int from -1 to 3; the default is -1."""
    full_action_space: bool
    """All 18 actions instead of those with distinct effects; the default is False."""
    repeat_action_probability: float
    """Probability that a frame repeats the previous action; a number from 0 to 1; the default is 0."""
    use_inter_area_resize: bool
    """Resize by area averaging; otherwise bilinear interpolation; the default is True."""
    gray_scale: bool
    """Gray images; otherwise red, green and blue planes; the default is True."""
    max_pool: bool
    """An image is the pixelwise maximum of the last two frames; otherwise the last frame; the default is True."""
    obs_type: Literal["screen", "ram"]
    """Observe images, or the 128 bytes of the console's memory; the default is 'screen'."""
    rom_path: str | bytes
    """Path of a ROM file to load instead of the game's own; the game's rules still apply; the default is ''."""
    render_whole_screen: bool
    """render() shows all rows; otherwise only the first 210, as EnvPool does; the default is False."""

AleId = Literal[
    "ALE/Adventure-v5", "ALE/AirRaid-v5", "ALE/Alien-v5", "ALE/Amidar-v5", "ALE/Assault-v5", "ALE/Asterix-v5",
    "ALE/Asteroids-v5", "ALE/Atlantis-v5", "ALE/Atlantis2-v5", "ALE/Backgammon-v5", "ALE/BankHeist-v5",
    "ALE/BasicMath-v5", "ALE/BattleZone-v5", "ALE/BeamRider-v5", "ALE/Berzerk-v5", "ALE/Blackjack-v5", "ALE/Bowling-v5",
    "ALE/Boxing-v5", "ALE/Breakout-v5", "ALE/Carnival-v5", "ALE/Casino-v5", "ALE/Centipede-v5", "ALE/ChopperCommand-v5",
    "ALE/CrazyClimber-v5", "ALE/Crossbow-v5", "ALE/Darkchambers-v5", "ALE/Defender-v5", "ALE/DemonAttack-v5",
    "ALE/DonkeyKong-v5", "ALE/DoubleDunk-v5", "ALE/Earthworld-v5", "ALE/ElevatorAction-v5", "ALE/Enduro-v5",
    "ALE/Entombed-v5", "ALE/Et-v5", "ALE/FishingDerby-v5", "ALE/FlagCapture-v5", "ALE/Freeway-v5", "ALE/Frogger-v5",
    "ALE/Frostbite-v5", "ALE/Galaxian-v5", "ALE/Gopher-v5", "ALE/Gravitar-v5", "ALE/Hangman-v5", "ALE/HauntedHouse-v5",
    "ALE/Hero-v5", "ALE/HumanCannonball-v5", "ALE/IceHockey-v5", "ALE/Jamesbond-v5", "ALE/JourneyEscape-v5",
    "ALE/Kaboom-v5", "ALE/Kangaroo-v5", "ALE/KeystoneKapers-v5", "ALE/KingKong-v5", "ALE/Klax-v5", "ALE/Koolaid-v5",
    "ALE/Krull-v5", "ALE/KungFuMaster-v5", "ALE/LaserGates-v5", "ALE/LostLuggage-v5", "ALE/MarioBros-v5",
    "ALE/MiniatureGolf-v5", "ALE/MontezumaRevenge-v5", "ALE/MrDo-v5", "ALE/MsPacman-v5", "ALE/NameThisGame-v5",
    "ALE/Othello-v5", "ALE/Pacman-v5", "ALE/Phoenix-v5", "ALE/Pitfall-v5", "ALE/Pitfall2-v5", "ALE/Pong-v5",
    "ALE/Pooyan-v5", "ALE/PrivateEye-v5", "ALE/Qbert-v5", "ALE/Riverraid-v5", "ALE/RoadRunner-v5", "ALE/Robotank-v5",
    "ALE/Seaquest-v5", "ALE/SirLancelot-v5", "ALE/Skiing-v5", "ALE/Solaris-v5", "ALE/SpaceInvaders-v5",
    "ALE/SpaceWar-v5", "ALE/StarGunner-v5", "ALE/Superman-v5", "ALE/Surround-v5", "ALE/Tennis-v5", "ALE/Tetris-v5",
    "ALE/TicTacToe3D-v5", "ALE/TimePilot-v5", "ALE/Trondead-v5", "ALE/Turmoil-v5", "ALE/Tutankham-v5", "ALE/UpNDown-v5",
    "ALE/Venture-v5", "ALE/VideoCheckers-v5", "ALE/VideoChess-v5", "ALE/VideoCube-v5", "ALE/VideoPinball-v5",
    "ALE/WizardOfWor-v5", "ALE/WordZapper-v5", "ALE/YarsRevenge-v5", "ALE/Zaxxon-v5",
]

class AleOptions(CommonOptions, total=False):
    """The options of AleId."""

    game: str | bytes
    """The game: the file name of its ROM, without .bin; the default depends on the id."""
    rom: str | bytes
    """The bytes of the ROM; if empty, they come from rom_path or the package ale-py; the default is ''."""
    rom_path: str | bytes
    """Path of a ROM file to load instead of the game's own; the game's rules still apply; the default is ''."""
    mode: int
    """Game variant; -1 or None is the game's default; an int from -1 to 100000; the default is -1."""
    difficulty: int
    """Difficulty switches; -1 or None is the default, 0; an int from -1 to 3; the default is -1."""
    obs_type: Literal["rgb", "grayscale", "ram"]
    """Observe the screen in colour or gray, or the console's memory; the default is 'rgb'."""
    frameskip: int
    """Video frames per action; (low, high): a random number from low to high - 1 for each; an int from 1 to 1000; the
    default is 4."""
    frameskip_max: int
    """Largest random frame skip; 0: the frame skip is always frameskip; an int from 0 to 1000; the default is 0."""
    repeat_action_probability: float
    """Probability that a frame repeats the previous action; a number from 0 to 1; the default is 0.25."""
    full_action_space: bool
    """All 18 actions instead of those with distinct effects; the default is False."""
    max_num_frames_per_episode: int
    """Frames after which an episode is truncated; 0 or None: no limit; an int from -1 to 2147483647; the default is
    108000."""

MultiplayerAtariId = Literal[
    "atari/basketball_pong-v3", "atari/boxing-v2", "atari/combat_plane-v2", "atari/combat_tank-v2",
    "atari/double_dunk-v3", "atari/entombed_competitive-v3", "atari/entombed_cooperative-v3", "atari/flag_capture-v2",
    "atari/foozpong-v3", "atari/ice_hockey-v2", "atari/joust-v3", "atari/mario_bros-v3", "atari/maze_craze-v3",
    "atari/othello-v3", "atari/pong-v3", "atari/quadrapong-v4", "atari/space_invaders-v2", "atari/space_war-v2",
    "atari/surround-v2", "atari/tennis-v3", "atari/video_checkers-v4", "atari/volleyball_pong-v3", "atari/warlords-v3",
    "atari/wizard_of_wor-v3",
]

class MultiplayerAtariOptions(CommonOptions, total=False):
    """The options of MultiplayerAtariId."""

    game: str | bytes
    """The game: the file name of its ROM, without .bin; the default depends on the id."""
    mode: int
    """Game variant, as multi-agent-ale-py numbers them; -1: by num_players; an int from -1 to 64; the default is -1."""
    rom: str | bytes
    """The bytes of the ROM; if empty, they come from rom_path or the package ale-py; the default is ''."""
    rom_path: str | bytes
    """Path of a ROM file to load instead of the game's own; the game's rules still apply; the default is ''."""
    difficulty: int
    """Difficulty switches; an int from 0 to 3; the default is 0."""
    obs_type: Literal["rgb_image", "grayscale_image", "ram", "screen"]
    """Observe the screen in colour or gray, the console's memory, or images for learners; the default is
    'rgb_image'."""
    frame_skip: int
    """Number of video frames for which an action is repeated; an int from 1 to 1000; the default is 1."""
    stack_num: int
    """With obs_type "screen": number of images in an observation, oldest first; an int from 1 to 64; the default is
    4."""
    img_height: int
    """With obs_type "screen": height of an image in pixels; 0 means the screen's height; an int from 0 to 4096; the
    default is 84."""
    img_width: int
    """With obs_type "screen": width of an image in pixels; 0 means the screen's width, 160; an int from 0 to 4096; the
    default is 84."""
    max_pool: bool
    """With obs_type "screen": an image is the pixelwise maximum of the last two frames; the default is True."""
    use_inter_area_resize: bool
    """Resize by area averaging; otherwise bilinear interpolation; the default is True."""
    full_action_space: bool
    """All 18 actions instead of those with distinct effects; the default is False."""
    max_cycles: int
    """Frames after which an episode is truncated; an int from 1 to 1073741824; the default is 100000."""
    num_players: int
    """Number of players, which selects the mode; ignored if mode is given; an int; the default depends on the id."""
    game_version: str | bytes
    """'bi-plane' or 'jet'; 'robbers', 'race' or 'capture'. Selects the mode; ignored if mode is given; the default
    depends on the id."""
    guided_missile: bool
    """Missiles can be steered; ignored if mode is given; the default is True."""
    has_maze: bool
    """The tanks are in a maze; ignored if mode is given; the default is True."""
    is_invisible: bool
    """Tanks are only visible while they fire or hit a wall; ignored if mode is given; the default is False."""
    billiard_hit: bool
    """Shots count only after they have bounced off a wall; ignored if mode is given; the default is True."""
    visibilty_level: int
    """From 0, the whole maze is visible, to 3, none of it is; ignored if mode is given; an int; the default is 0."""

LunarLanderId = Literal[
    "LunarLander-v2", "LunarLanderContinuous-v2", "LunarLander-v3", "LunarLanderContinuous-v3",
]

class LunarLanderOptions(CommonOptions, total=False):
    """The options of LunarLanderId."""

    continuous: bool
    """actions are the power of the main and of the side engines; the default depends on the id."""
    gravity: float
    """gravity in m/s^2; negative is down; a number from -12 to 0; the default is -10."""
    enable_wind: bool
    """a wind pushes and turns the lander until a leg touches the ground; the default is False."""
    wind_power: float
    """the largest force of the wind in N; a number from 0 to 20; the default is 15."""
    turbulence_power: float
    """the largest torque of the wind in N m; a number from 0 to 2; the default is 1.5."""

BipedalWalkerId = Literal[
    "BipedalWalker-v3", "BipedalWalkerHardcore-v3",
]

class BipedalWalkerOptions(CommonOptions, total=False):
    """The options of BipedalWalkerId."""

    hardcore: bool
    """the ground has stumps, pits and stairs; the default depends on the id."""

CarRacingId = Literal[
    "CarRacing-v2", "CarRacing-v3",
]

class CarRacingOptions(CommonOptions, total=False):
    """The options of CarRacingId."""

    lap_complete_percent: float
    """the fraction of tiles after which reaching the first tile ends the episode; a number from 0 to 1; the default is
    0.95."""
    domain_randomize: bool
    """the colours of road and grass are random in each episode; the default is False."""
    continuous: bool
    """actions are steering, gas and brake; the default is True."""

BsuiteCatchId = Literal[
    "Catch-bsuite",
]

class BsuiteCatchOptions(CommonOptions, total=False):
    """The options of Catch-bsuite."""

    rows: int
    """rows of the board; an int from 2 to 1024; the default is 10."""
    columns: int
    """columns of the board; an int from 1 to 1024; the default is 5."""

DeepSeaId = Literal[
    "DeepSea-bsuite",
]

class DeepSeaOptions(CommonOptions, total=False):
    """The options of DeepSea-bsuite."""

    size: int
    """rows and columns; an int from 1 to 1024; the default is 8."""
    deterministic: bool
    """moves to the right never fail, and rewards have no noise; the default is True."""
    sample_action_map: bool
    """the action that moves right is drawn for each episode; the default is False."""
    unscaled_move_cost: float
    """cost of moving right throughout an episode; a number; the default is 0.01."""
    randomize_actions: bool
    """the action that moves right depends on the cell; if False, it is 1; the default is True."""
    mapping_seed: int
    """seed of the actions that move right; an int from 0 to 9.00719925474099e+15; the default is 0."""

DiscountingChainId = Literal[
    "DiscountingChain-bsuite",
]

class DiscountingChainOptions(CommonOptions, total=False):
    """The options of DiscountingChain-bsuite."""

    n_actions: int
    """choices; an int from 1 to 64; the default is 5."""
    mapping_seed: int
    """the choice with the bonus, modulo n_actions; an int from 0 to 2147483647; the default is 0."""
    reward_timestep: str | bytes
    """the step at which each choice pays; the default is '1 3 10 30 100'."""
    optimal_return: float
    """reward of the choice with the bonus; a number; the default is 1.1."""
    max_steps_in_episode: int
    """steps of an episode; an int from 1 to 2147483647; the default is 100."""

MemoryChainId = Literal[
    "MemoryChain-bsuite",
]

class MemoryChainOptions(CommonOptions, total=False):
    """The options of MemoryChain-bsuite."""

    num_bits: int
    """bits to remember; an int from 1 to 64; the default is 1."""
    memory_length: int
    """steps before the answer; an int from 1 to 1073741824; the default is 5."""

SimpleBanditId = Literal[
    "SimpleBandit-bsuite",
]

class SimpleBanditOptions(CommonOptions, total=False):
    """The options of SimpleBandit-bsuite."""

    num_actions: int
    """arms; an int from 1 to 1048576; the default is 11."""
    optimal_return: float
    """the return from which regret is measured; a number; the default is 1."""

UmbrellaChainId = Literal[
    "UmbrellaChain-bsuite",
]

class UmbrellaChainOptions(CommonOptions, total=False):
    """The options of UmbrellaChain-bsuite."""

    n_distractor: int
    """random bits in an observation; an int from 0 to 1048576; the default is 0."""
    chain_length: int
    """steps of an episode; an int from 1 to 1073741824; the default is 10."""

CartPoleId = Literal[
    "CartPole-v0", "CartPole-v1",
]

class CartPoleOptions(CommonOptions, total=False):
    """The options of CartPoleId."""

    gravity: float
    """m/s^2, downwards; a number; the default is 9.8."""
    masscart: float
    """kg; a number from 1e-06 to 1000000; the default is 1."""
    masspole: float
    """kg; a number from 1e-06 to 1000000; the default is 0.1."""
    length: float
    """m, half of the pole's length; a number from 1e-06 to 1000000; the default is 0.5."""
    force_mag: float
    """N, force of a push; a number; the default is 10."""
    tau: float
    """s, duration of a step; a number from 1e-06 to 1; the default is 0.02."""
    x_threshold: float
    """m, position beyond which the episode ends; a number from 0 to 1000000; the default is 2.4."""
    theta_threshold_radians: float
    """rad, angle beyond which the episode ends; a number from 0 to 3.14159265358979; the default is 0.20944."""
    kinematics_integrator: Literal["euler", "semi-implicit"]
    """Euler method that integrates velocities into positions; the default is 'euler'."""
    sutton_barto_reward: bool
    """reward -1 on the step that ends the episode, 0 on all others; the default is False."""

PendulumId = Literal[
    "Pendulum-v0", "Pendulum-v1",
]

class PendulumOptions(CommonOptions, total=False):
    """The options of PendulumId."""

    version: int
    """version of the dynamics, as in the id; an int from 0 to 1; the default depends on the id."""
    g: float
    """m/s^2, downwards; a number; the default is 10."""
    m: float
    """kg, mass of the rod; a number from 1e-06 to 1000000; the default is 1."""
    l: float
    """m, length of the rod; a number from 1e-06 to 1000000; the default is 1."""

MountainCarId = Literal[
    "MountainCar-v0",
]

class MountainCarOptions(CommonOptions, total=False):
    """The options of MountainCar-v0."""

    goal_velocity: float
    """velocity that the car must have at the flag; a number; the default is 0."""
    force: float
    """velocity that acceleration adds in a step; a number; the default is 0.001."""
    gravity: float
    """velocity that gravity adds in a step on the steepest slope; a number; the default is 0.0025."""

MountainCarContinuousId = Literal[
    "MountainCarContinuous-v0",
]

class MountainCarContinuousOptions(CommonOptions, total=False):
    """The options of MountainCarContinuous-v0."""

    goal_velocity: float
    """velocity that the car must have at the flag; a number; the default is 0."""
    power: float
    """velocity that full throttle adds in a step; a number; the default is 0.0015."""

AcrobotId = Literal[
    "Acrobot-v1",
]

class AcrobotOptions(CommonOptions, total=False):
    """The options of Acrobot-v1."""

    book_or_nips: Literal["book", "nips"]
    """source of the equations of motion: the book or the NIPS paper; the default is 'book'."""
    torque_noise_max: float
    """bound of the uniform noise that is added to the torque; a number from 0 to 1000000; the default is 0."""

Phys2dCartPoleId = Literal[
    "phys2d/CartPole-v0", "phys2d/CartPole-v1",
]

class Phys2dCartPoleOptions(CommonOptions, total=False):
    """The options of Phys2dCartPoleId."""

    gravity: float
    """m/s^2, downwards; a number from -1000000 to 1000000; the default is 9.8."""
    masspole: float
    """kg; a number from 1e-06 to 1000000; the default is 0.1."""
    total_mass: float
    """kg, mass of cart and pole together; a number from 1e-06 to 1000000; the default is 1.1."""
    length: float
    """m, half of the pole's length; a number from 1e-06 to 1000000; the default is 0.5."""
    polemass_length: float
    """in the reference, the sum of masspole and length; a number from 1e-06 to 1000000; the default is 0.6."""
    force_mag: float
    """N, force of a push; a number from -1000000 to 1000000; the default is 10."""
    tau: float
    """s, duration of a step; a number from 1e-06 to 1; the default is 0.02."""
    theta_threshold_radians: float
    """rad, angle beyond which the episode ends; a number from 0 to 3.14159265358979; the default is 0.20944."""
    x_threshold: float
    """m, position beyond which the episode ends; a number from 0 to 1000000; the default is 2.4."""
    x_init: float
    """bound of each component of an initial state; a number from 0 to 1000000; the default is 0.05."""
    sutton_barto_reward: bool
    """reward 0 instead of 1, as in the reference; the default is False."""

Phys2dPendulumId = Literal[
    "phys2d/Pendulum-v0",
]

class Phys2dPendulumOptions(CommonOptions, total=False):
    """The options of phys2d/Pendulum-v0."""

    max_speed: float
    """rad/s, limit of the angular velocity; a number from 0 to 1000000; the default is 8."""
    dt: float
    """s, duration of a step; a number from 1e-06 to 1; the default is 0.05."""
    g: float
    """m/s^2, downwards; a number from -1000000 to 1000000; the default is 10."""
    m: float
    """kg, mass of the rod; a number from 1e-06 to 1000000; the default is 1."""
    l: float
    """m, length of the rod; a number from 1e-06 to 1000000; the default is 1."""
    high_x: float
    """rad, bound of the initial angle; a number from 0 to 1000000; the default is 3.14159."""
    high_y: float
    """rad/s, bound of the initial angular velocity; a number from 0 to 1000000; the default is 1."""

CraftaxClassicSymbolicId = Literal[
    "Craftax-Classic-Symbolic-v1", "Craftax/Classic-Symbolic-v1", "Craftax-Classic-Symbolic-AutoReset-v1",
    "Craftax/Classic-Symbolic-AutoReset-v1",
]

class CraftaxClassicSymbolicOptions(CommonOptions, total=False):
    """The options of CraftaxClassicSymbolicId."""

    day_length: int
    """steps from one night to the next; an int from 1 to 1000000; the default is 300."""
    always_diamond: bool
    """puts one more diamond into each world; the default is True."""
    zombie_health: int
    """of a zombie that appears; an int from 1 to 100; the default is 5."""
    cow_health: int
    """of a cow; an int from 1 to 100; the default is 3."""
    skeleton_health: int
    """of a skeleton that appears; an int from 1 to 100; the default is 3."""
    mob_despawn_distance: int
    """steps from the player at which mobs disappear; an int from 1 to 128; the default is 14."""
    spawn_cow_chance: float
    """probability of a new cow in a step; a number from 0 to 1; the default is 0.1."""
    spawn_zombie_base_chance: float
    """probability of a new zombie by day; a number from 0 to 1; the default is 0.02."""
    spawn_zombie_night_chance: float
    """what darkness adds to that at most; a number from 0 to 1; the default is 0.1."""
    spawn_skeleton_chance: float
    """probability of a new skeleton; a number from 0 to 1; the default is 0.05."""

CraftaxSymbolicId = Literal[
    "Craftax-Symbolic-v1", "Craftax/Symbolic-v1", "Craftax-Symbolic-AutoReset-v1", "Craftax/Symbolic-AutoReset-v1",
]

class CraftaxSymbolicOptions(CommonOptions, total=False):
    """The options of CraftaxSymbolicId."""

    day_length: int
    """steps from one night to the next; an int from 1 to 1000000; the default is 300."""
    always_diamond: bool
    """puts one more diamond into each overworld; the default is False."""
    mob_despawn_distance: int
    """steps from the player at which mobs disappear; an int from 1 to 96; the default is 14."""
    max_attribute: int
    """most dexterity, strength and intelligence; an int from 1 to 100; the default is 5."""

CraftaxClassicPixelsId = Literal[
    "Craftax-Classic-Pixels-v1", "Craftax/Classic-Pixels-v1", "Craftax-Classic-Pixels-AutoReset-v1",
    "Craftax/Classic-Pixels-AutoReset-v1",
]

class CraftaxClassicPixelsOptions(CommonOptions, total=False):
    """The options of CraftaxClassicPixelsId."""

    day_length: int
    """steps from one night to the next; an int from 1 to 1000000; the default is 300."""
    always_diamond: bool
    """puts one more diamond into each world; the default is True."""
    zombie_health: int
    """of a zombie that appears; an int from 1 to 100; the default is 5."""
    cow_health: int
    """of a cow; an int from 1 to 100; the default is 3."""
    skeleton_health: int
    """of a skeleton that appears; an int from 1 to 100; the default is 3."""
    mob_despawn_distance: int
    """steps from the player at which mobs disappear; an int from 1 to 128; the default is 14."""
    spawn_cow_chance: float
    """probability of a new cow in a step; a number from 0 to 1; the default is 0.1."""
    spawn_zombie_base_chance: float
    """probability of a new zombie by day; a number from 0 to 1; the default is 0.02."""
    spawn_zombie_night_chance: float
    """what darkness adds to that at most; a number from 0 to 1; the default is 0.1."""
    spawn_skeleton_chance: float
    """probability of a new skeleton; a number from 0 to 1; the default is 0.05."""
    textures: str | bytes
    """The RGBA pixels of the textures in the order of envpool/craftax/textures.py; if empty, they come from the package
    craftax; the default is ''."""

CraftaxPixelsId = Literal[
    "Craftax-Pixels-v1", "Craftax/Pixels-v1", "Craftax-Pixels-AutoReset-v1", "Craftax/Pixels-AutoReset-v1",
]

class CraftaxPixelsOptions(CommonOptions, total=False):
    """The options of CraftaxPixelsId."""

    day_length: int
    """steps from one night to the next; an int from 1 to 1000000; the default is 300."""
    always_diamond: bool
    """puts one more diamond into each overworld; the default is False."""
    mob_despawn_distance: int
    """steps from the player at which mobs disappear; an int from 1 to 96; the default is 14."""
    max_attribute: int
    """most dexterity, strength and intelligence; an int from 1 to 100; the default is 5."""
    textures: str | bytes
    """The RGBA pixels of the textures in the order of envpool/craftax/textures.py; if empty, they come from the package
    craftax; the default is ''."""

OvercookedId = Literal[
    "Overcooked-v0",
]

class OvercookedOptions(CommonOptions, total=False):
    """The options of Overcooked-v0."""

    layout: str | bytes
    """cramped_room, asymm_advantages, coord_ring, forced_coord or counter_circuit; or lines of W (counter), O (onions),
    B (plates), X (goal), P (pot), A (a cook) and spaces; the default is 'cramped_room'."""
    random_reset: bool
    """begin with random cells and hands of the cooks, and random pots; the default is False."""
    max_steps: int
    """steps after which an episode ends; an int from 1 to 1000000000; the default is 400."""

HanabiId = Literal[
    "Hanabi-v0",
]

class HanabiOptions(CommonOptions, total=False):
    """The options of Hanabi-v0."""

    num_players: int
    """players; an int from 2 to 5; the default is 2."""
    num_colors: int
    """colors of cards; an int from 1 to 6; the default is 5."""
    num_ranks: int
    """ranks of cards; an int from 1 to 5; the default is 5."""
    hand_size: int
    """cards of a hand; 0: 5 for two or three players, otherwise 4; an int from 0 to 6; the default is 0."""
    max_info_tokens: int
    """hints at the beginning, and at most; an int from 1 to 20; the default is 8."""
    max_life_tokens: int
    """wrong plays that end the game; an int from 1 to 20; the default is 3."""
    num_cards_of_rank: npt.ArrayLike
    """cards of each rank in a color; only the first num_ranks count; an array of shape (5,), each element an int from 1
    to 5; the default is an array."""
    shuffle_player_order: bool
    """draw the seats of the players; the default is False."""

CleanerId = Literal[
    "Cleaner-v0", "Jumanji/Cleaner-v0",
]

class CleanerOptions(CommonOptions, total=False):
    """The options of CleanerId."""

    num_rows: int
    """rows of the grid; an int from 2 to 32; the default is 10."""
    num_cols: int
    """columns of the grid; an int from 2 to 32; the default is 10."""
    num_agents: int
    """agents; an int from 1 to 16; the default is 3."""
    time_limit: int
    """steps of an episode; 0: as many as the grid has cells; an int from 0 to 1000000; the default is 0."""
    penalty_per_timestep: float
    """what a step costs; a number from -1000000 to 1000000; the default is 0.5."""

ConnectorId = Literal[
    "Connector-v2", "Jumanji/Connector-v2", "Connector-v3", "Jumanji/Connector-v3",
]

class ConnectorOptions(CommonOptions, total=False):
    """The options of ConnectorId."""

    grid_size: int
    """rows and columns; an int from 3 to 32; the default is 10."""
    num_agents: int
    """agents; an int from 1 to 32; the default is 10."""
    time_limit: int
    """steps of an episode; an int from 1 to 1000000; the default is 50."""
    connected_reward: float
    """an agent's reward for reaching its target; a number from -1000000 to 1000000; the default is 1."""
    timestep_reward: float
    """an agent's reward for a step that it begins elsewhere; a number from -1000000 to 1000000; the default is
    -0.03."""
    generator: Literal["random_walk", "uniform_random"]
    """how the first cells and the targets are chosen; the default is 'random_walk'."""

Game2048Id = Literal[
    "Game2048-v1", "Jumanji/Game2048-v1",
]

class Game2048Options(CommonOptions, total=False):
    """The options of Game2048Id."""

    board_size: int
    """rows and columns of the board; an int from 2 to 8; the default is 4."""

LevelBasedForagingId = Literal[
    "LevelBasedForaging-v0", "Jumanji/LevelBasedForaging-v0",
]

class LevelBasedForagingOptions(CommonOptions, total=False):
    """The options of LevelBasedForagingId."""

    grid_size: int
    """rows and columns; an int from 5 to 32; the default is 8."""
    num_agents: int
    """agents; an int from 1 to 10; the default is 2."""
    num_food: int
    """food items; an int from 1 to 32; the default is 2."""
    fov: int
    """rows and columns that an agent sees in each direction; an int from 1 to 32; the default is 8."""
    max_agent_level: int
    """the highest level of an agent; an int from 2 to 64; the default is 2."""
    force_coop: bool
    """give all food the highest level; the default is True."""
    time_limit: int
    """steps of an episode; an int from 1 to 1000000; the default is 100."""
    grid_observation: bool
    """observe grids instead of lists; the default is False."""
    normalize_levels: bool
    """divide rewards by levels, so that those of an episode sum up to 1; the default is True."""
    penalty: float
    """what loading without the needed level costs each agent; a number from -1000000 to 1000000; the default is 0."""

JumanjiMazeId = Literal[
    "Maze-v0", "Jumanji/Maze-v0",
]

class JumanjiMazeOptions(CommonOptions, total=False):
    """The options of JumanjiMazeId."""

    num_rows: int
    """rows of the maze; an int from 2 to 32; the default is 10."""
    num_cols: int
    """columns of the maze; an int from 2 to 32; the default is 10."""
    time_limit: int
    """steps of an episode; 0: as many as the maze has cells; an int from 0 to 1000000; the default is 0."""

MinesweeperId = Literal[
    "Minesweeper-v0", "Jumanji/Minesweeper-v0",
]

class MinesweeperOptions(CommonOptions, total=False):
    """The options of MinesweeperId."""

    num_rows: int
    """rows of the board; an int from 2 to 32; the default is 10."""
    num_cols: int
    """columns of the board; an int from 2 to 32; the default is 10."""
    num_mines: int
    """mines; an int from 0 to 1023; the default is 10."""
    revealed_empty_square_reward: float
    """reward for a cell without a mine; a number from -1000000 to 1000000; the default is 1."""
    revealed_mine_reward: float
    """reward for a cell with a mine; a number from -1000000 to 1000000; the default is 0."""
    invalid_action_reward: float
    """reward for a cell that was explored before; a number from -1000000 to 1000000; the default is 0."""

RobotWarehouseId = Literal[
    "RobotWarehouse-v0", "Jumanji/RobotWarehouse-v0",
]

class RobotWarehouseOptions(CommonOptions, total=False):
    """The options of RobotWarehouseId."""

    shelf_rows: int
    """clusters of shelves above each other; an int from 1 to 8; the default is 2."""
    shelf_columns: int
    """clusters of shelves beside each other, an odd number; an int from 1 to 9; the default is 3."""
    column_height: int
    """rows of a cluster; an int from 1 to 16; the default is 8."""
    num_agents: int
    """robots; an int from 1 to 32; the default is 4."""
    sensor_range: int
    """rows and columns that a robot sees in each direction; an int from 1 to 5; the default is 1."""
    request_queue_size: int
    """requested shelves; an int from 1 to 2304; the default is 8."""
    time_limit: int
    """steps of an episode; an int from 1 to 1000000; the default is 500."""

RubiksCubeId = Literal[
    "RubiksCube-v0", "Jumanji/RubiksCube-v0", "RubiksCube-partly-scrambled-v0",
    "Jumanji/RubiksCube-partly-scrambled-v0",
]

class RubiksCubeOptions(CommonOptions, total=False):
    """The options of RubiksCubeId."""

    cube_size: int
    """stickers along an edge; an int from 2 to 10; the default is 3."""
    num_scrambles_on_reset: int
    """turns of the solved cube at a reset; an int from 0 to 100000; the default depends on the id."""
    time_limit: int
    """steps of an episode; an int from 1 to 1000000; the default depends on the id."""

SlidingTilePuzzleId = Literal[
    "SlidingTilePuzzle-v0", "Jumanji/SlidingTilePuzzle-v0",
]

class SlidingTilePuzzleOptions(CommonOptions, total=False):
    """The options of SlidingTilePuzzleId."""

    grid_size: int
    """rows and columns; an int from 2 to 16; the default is 5."""
    num_random_moves: int
    """moves from the order at a reset; an int from 0 to 100000; the default is 200."""
    time_limit: int
    """steps of an episode; an int from 1 to 1000000; the default is 500."""
    reward_fn: Literal["dense", "sparse"]
    """whether cells with the right content or only the end are rewarded; the default is 'dense'."""

SnakeId = Literal[
    "Snake-v1", "Jumanji/Snake-v1",
]

class SnakeOptions(CommonOptions, total=False):
    """The options of SnakeId."""

    num_rows: int
    """rows of the grid; an int from 2 to 32; the default is 12."""
    num_cols: int
    """columns of the grid; an int from 2 to 32; the default is 12."""
    time_limit: int
    """steps of an episode; an int from 1 to 1000000; the default is 4000."""

SudokuId = Literal[
    "Sudoku-v0", "Jumanji/Sudoku-v0", "Sudoku-very-easy-v0", "Jumanji/Sudoku-very-easy-v0",
]

class SudokuOptions(CommonOptions, total=False):
    """The options of SudokuId."""

    puzzles: str | bytes
    """The puzzles, 81 bytes each: the numbers 1 to 9, and 0 for an empty cell; if empty, they come from the package
    jumanji; the default is ''."""

MinAtarAsterixId = Literal[
    "MinAtar/Asterix-v0", "MinAtar/Asterix-v1", "Asterix-MinAtar",
]

class MinAtarAsterixOptions(CommonOptions, total=False):
    """The options of MinAtarAsterixId."""

    sticky_action_prob: float
    """probability that the last action is repeated; a number from 0 to 1; the default depends on the id."""
    difficulty_ramping: bool
    """the game gets faster; the default is True."""
    use_minimal_action_set: bool
    """only the actions that have an effect; the default depends on the id."""
    obs_dtype: Literal["bool", "float32"]
    """dtype of the observation; the default depends on the id."""

MinAtarBreakoutId = Literal[
    "MinAtar/Breakout-v0", "MinAtar/Breakout-v1", "Breakout-MinAtar",
]

class MinAtarBreakoutOptions(CommonOptions, total=False):
    """The options of MinAtarBreakoutId."""

    sticky_action_prob: float
    """probability that the last action is repeated; a number from 0 to 1; the default depends on the id."""
    difficulty_ramping: bool
    """no effect: this game never gets faster; the default is True."""
    use_minimal_action_set: bool
    """only the actions that have an effect; the default depends on the id."""
    obs_dtype: Literal["bool", "float32"]
    """dtype of the observation; the default depends on the id."""

MinAtarFreewayId = Literal[
    "MinAtar/Freeway-v0", "MinAtar/Freeway-v1", "Freeway-MinAtar",
]

class MinAtarFreewayOptions(CommonOptions, total=False):
    """The options of MinAtarFreewayId."""

    sticky_action_prob: float
    """probability that the last action is repeated; a number from 0 to 1; the default depends on the id."""
    difficulty_ramping: bool
    """no effect: this game never gets faster; the default is True."""
    use_minimal_action_set: bool
    """only the actions that have an effect; the default depends on the id."""
    obs_dtype: Literal["bool", "float32"]
    """dtype of the observation; the default depends on the id."""

MinAtarSeaquestId = Literal[
    "MinAtar/Seaquest-v0", "MinAtar/Seaquest-v1", "Seaquest-MinAtar",
]

class MinAtarSeaquestOptions(CommonOptions, total=False):
    """The options of MinAtarSeaquestId."""

    sticky_action_prob: float
    """probability that the last action is repeated; a number from 0 to 1; the default depends on the id."""
    difficulty_ramping: bool
    """the game gets faster; the default is True."""
    use_minimal_action_set: bool
    """only the actions that have an effect; the default depends on the id."""
    obs_dtype: Literal["bool", "float32"]
    """dtype of the observation; the default depends on the id."""

MinAtarSpaceInvadersId = Literal[
    "MinAtar/SpaceInvaders-v0", "MinAtar/SpaceInvaders-v1", "SpaceInvaders-MinAtar",
]

class MinAtarSpaceInvadersOptions(CommonOptions, total=False):
    """The options of MinAtarSpaceInvadersId."""

    sticky_action_prob: float
    """probability that the last action is repeated; a number from 0 to 1; the default depends on the id."""
    difficulty_ramping: bool
    """the game gets faster; the default is True."""
    use_minimal_action_set: bool
    """only the actions that have an effect; the default depends on the id."""
    obs_dtype: Literal["bool", "float32"]
    """dtype of the observation; the default depends on the id."""

MiniGridEmptyId = Literal[
    "MiniGrid-Empty-5x5-v0", "MiniGrid-Empty-6x6-v0", "MiniGrid-Empty-8x8-v0", "MiniGrid-Empty-16x16-v0",
    "MiniGrid-Empty-Random-5x5-v0", "MiniGrid-Empty-Random-6x6-v0",
]

class MiniGridEmptyOptions(CommonOptions, total=False):
    """The options of MiniGridEmptyId."""

    size: int
    """rows and columns, walls included; an int from 4 to 64; the default depends on the id."""
    random_start: bool
    """whether the agent starts in a random cell instead of the corner; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is True."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridFourRoomsId = Literal[
    "MiniGrid-FourRooms-v0",
]

class MiniGridFourRoomsOptions(CommonOptions, total=False):
    """The options of MiniGrid-FourRooms-v0."""

    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridDoorKeyId = Literal[
    "MiniGrid-DoorKey-5x5-v0", "MiniGrid-DoorKey-6x6-v0", "MiniGrid-DoorKey-8x8-v0", "MiniGrid-DoorKey-16x16-v0",
]

class MiniGridDoorKeyOptions(CommonOptions, total=False):
    """The options of MiniGridDoorKeyId."""

    size: int
    """rows and columns, walls included; an int from 5 to 64; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridMultiRoomId = Literal[
    "MiniGrid-MultiRoom-N2-S4-v0", "MiniGrid-MultiRoom-N4-S5-v0", "MiniGrid-MultiRoom-N4-S5-v1",
    "MiniGrid-MultiRoom-N6-v0",
]

class MiniGridMultiRoomOptions(CommonOptions, total=False):
    """The options of MiniGridMultiRoomId."""

    min_num_rooms: int
    """the least rooms; an int from 1 to 6; the default depends on the id."""
    max_num_rooms: int
    """the most rooms; an int from 1 to 6; the default depends on the id."""
    max_room_size: int
    """maximum rows and columns of a room, walls included; an int from 4 to 10; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridKeyCorridorId = Literal[
    "MiniGrid-KeyCorridorS3R1-v0", "MiniGrid-KeyCorridorS3R2-v0", "MiniGrid-KeyCorridorS3R3-v0",
    "MiniGrid-KeyCorridorS4R3-v0", "MiniGrid-KeyCorridorS5R3-v0", "MiniGrid-KeyCorridorS6R3-v0",
]

class MiniGridKeyCorridorOptions(CommonOptions, total=False):
    """The options of MiniGridKeyCorridorId."""

    room_size: int
    """rows and columns of a room, walls included; an int from 3 to 12; the default depends on the id."""
    num_rows: int
    """rooms on each side of the corridor; an int from 1 to 5; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridCrossingId = Literal[
    "MiniGrid-LavaCrossingS9N1-v0", "MiniGrid-LavaCrossingS9N2-v0", "MiniGrid-LavaCrossingS9N3-v0",
    "MiniGrid-LavaCrossingS11N5-v0", "MiniGrid-SimpleCrossingS9N1-v0", "MiniGrid-SimpleCrossingS9N2-v0",
    "MiniGrid-SimpleCrossingS9N3-v0", "MiniGrid-SimpleCrossingS11N5-v0",
]

class MiniGridCrossingOptions(CommonOptions, total=False):
    """The options of MiniGridCrossingId."""

    size: int
    """rows and columns, walls included, an odd number; an int from 5 to 63; the default depends on the id."""
    num_crossings: int
    """number of rivers; an int from 1 to 60; the default depends on the id."""
    obstacle_type: Literal["lava", "wall"]
    """what the rivers are made of; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridLavaGapId = Literal[
    "MiniGrid-LavaGapS5-v0", "MiniGrid-LavaGapS6-v0", "MiniGrid-LavaGapS7-v0",
]

class MiniGridLavaGapOptions(CommonOptions, total=False):
    """The options of MiniGridLavaGapId."""

    size: int
    """rows and columns, walls included; an int from 5 to 64; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridDynamicObstaclesId = Literal[
    "MiniGrid-Dynamic-Obstacles-5x5-v0", "MiniGrid-Dynamic-Obstacles-Random-5x5-v0",
    "MiniGrid-Dynamic-Obstacles-6x6-v0", "MiniGrid-Dynamic-Obstacles-Random-6x6-v0",
    "MiniGrid-Dynamic-Obstacles-8x8-v0", "MiniGrid-Dynamic-Obstacles-16x16-v0",
]

class MiniGridDynamicObstaclesOptions(CommonOptions, total=False):
    """The options of MiniGridDynamicObstaclesId."""

    size: int
    """rows and columns, walls included; an int from 5 to 64; the default depends on the id."""
    n_obstacles: int
    """number of balls; values above size / 2 + 1 mean size / 2; an int from 0 to 64; the default depends on the id."""
    random_start: bool
    """whether the agent starts in a random cell instead of the corner; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is True."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridDistShiftId = Literal[
    "MiniGrid-DistShift1-v0", "MiniGrid-DistShift2-v0",
]

class MiniGridDistShiftOptions(CommonOptions, total=False):
    """The options of MiniGridDistShiftId."""

    width: int
    """columns, walls included; an int from 7 to 64; the default is 9."""
    height: int
    """rows, walls included; an int from 4 to 64; the default is 7."""
    strip2_row: int
    """row of the second strip; an int from 2 to 62; the default depends on the id."""
    random_start: bool
    """whether the agent starts in a random cell instead of the corner; the default is False."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is True."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridFetchId = Literal[
    "MiniGrid-Fetch-5x5-N2-v0", "MiniGrid-Fetch-6x6-N2-v0", "MiniGrid-Fetch-8x8-N3-v0",
]

class MiniGridFetchOptions(CommonOptions, total=False):
    """The options of MiniGridFetchId."""

    size: int
    """rows and columns, walls included; an int from 5 to 64; the default depends on the id."""
    num_objs: int
    """how many objects there are; an int from 1 to 64; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is True."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridGoToDoorId = Literal[
    "MiniGrid-GoToDoor-5x5-v0", "MiniGrid-GoToDoor-6x6-v0", "MiniGrid-GoToDoor-8x8-v0",
]

class MiniGridGoToDoorOptions(CommonOptions, total=False):
    """The options of MiniGridGoToDoorId."""

    size: int
    """maximum rows and columns of the room, walls included; an int from 5 to 64; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is True."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridGoToObjectId = Literal[
    "MiniGrid-GoToObject-6x6-N2-v0", "MiniGrid-GoToObject-8x8-N2-v0",
]

class MiniGridGoToObjectOptions(CommonOptions, total=False):
    """The options of MiniGridGoToObjectId."""

    size: int
    """rows and columns, walls included; an int from 5 to 64; the default depends on the id."""
    num_objs: int
    """how many objects there are; an int from 1 to 18; the default is 2."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is True."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridPutNearId = Literal[
    "MiniGrid-PutNear-6x6-N2-v0", "MiniGrid-PutNear-8x8-N3-v0",
]

class MiniGridPutNearOptions(CommonOptions, total=False):
    """The options of MiniGridPutNearId."""

    size: int
    """rows and columns, walls included; an int from 5 to 64; the default depends on the id."""
    num_objs: int
    """how many objects there are; an int from 2 to 18; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is True."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridRedBlueDoorsId = Literal[
    "MiniGrid-RedBlueDoors-6x6-v0", "MiniGrid-RedBlueDoors-8x8-v0",
]

class MiniGridRedBlueDoorsOptions(CommonOptions, total=False):
    """The options of MiniGridRedBlueDoorsId."""

    size: int
    """rows, walls included; there are twice as many columns; an int from 5 to 32; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridMemoryId = Literal[
    "MiniGrid-MemoryS17Random-v0", "MiniGrid-MemoryS13Random-v0", "MiniGrid-MemoryS13-v0", "MiniGrid-MemoryS11-v0",
    "MiniGrid-MemoryS9-v0", "MiniGrid-MemoryS7-v0",
]

class MiniGridMemoryOptions(CommonOptions, total=False):
    """The options of MiniGridMemoryId."""

    size: int
    """rows and columns, walls included, an odd number; an int from 7 to 63; the default depends on the id."""
    random_length: bool
    """whether the length of the hallway is random; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridLockedRoomId = Literal[
    "MiniGrid-LockedRoom-v0",
]

class MiniGridLockedRoomOptions(CommonOptions, total=False):
    """The options of MiniGrid-LockedRoom-v0."""

    size: int
    """rows and columns, walls included; an odd number that is not divisible by 3; an int from 13 to 61; the default is
    19."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridPlaygroundId = Literal[
    "MiniGrid-Playground-v0",
]

class MiniGridPlaygroundOptions(CommonOptions, total=False):
    """The options of MiniGrid-Playground-v0."""

    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridUnlockId = Literal[
    "MiniGrid-Unlock-v0",
]

class MiniGridUnlockOptions(CommonOptions, total=False):
    """The options of MiniGrid-Unlock-v0."""

    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridUnlockPickupId = Literal[
    "MiniGrid-UnlockPickup-v0", "MiniGrid-BlockedUnlockPickup-v0",
]

class MiniGridUnlockPickupOptions(CommonOptions, total=False):
    """The options of MiniGridUnlockPickupId."""

    blocked: bool
    """a ball lies in front of the door; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

MiniGridObstructedMazeId = Literal[
    "MiniGrid-ObstructedMaze-1Dl-v0", "MiniGrid-ObstructedMaze-1Dlh-v0", "MiniGrid-ObstructedMaze-1Dlhb-v0",
    "MiniGrid-ObstructedMaze-2Dl-v0", "MiniGrid-ObstructedMaze-2Dlh-v0", "MiniGrid-ObstructedMaze-2Dlhb-v0",
    "MiniGrid-ObstructedMaze-2Dlhb-v1", "MiniGrid-ObstructedMaze-1Q-v0", "MiniGrid-ObstructedMaze-1Q-v1",
    "MiniGrid-ObstructedMaze-2Q-v0", "MiniGrid-ObstructedMaze-2Q-v1", "MiniGrid-ObstructedMaze-Full-v0",
    "MiniGrid-ObstructedMaze-Full-v1",
]

class MiniGridObstructedMazeOptions(CommonOptions, total=False):
    """The options of MiniGridObstructedMazeId."""

    num_quarters: int
    """quarters of the maze of nine rooms; 0: a maze of two rooms; an int from 0 to 4; the default depends on the id."""
    num_rooms_visited: int
    """number of rooms that a solution visits; max_steps depends on it; an int from 1 to 100; the default depends on the
    id."""
    key_in_box: bool
    """whether keys are hidden in boxes; the default depends on the id."""
    blocked: bool
    """whether balls lie in front of locked doors; the default depends on the id."""
    keys_last: bool
    """whether keys are placed after the balls, so that no ball replaces a key; the default depends on the id."""
    agent_on_the_right: bool
    """whether the agent starts in the middle room on the right instead of the centre; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 96."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

BabyAIGoToId = Literal[
    "BabyAI-GoToRedBallGrey-v0", "BabyAI-GoToRedBall-v0", "BabyAI-GoToRedBallNoDists-v0", "BabyAI-GoToRedBlueBall-v0",
    "BabyAI-GoToObj-v0", "BabyAI-GoToObjS4-v0", "BabyAI-GoToObjS6-v1", "BabyAI-GoToLocal-v0", "BabyAI-GoToLocalS5N2-v0",
    "BabyAI-GoToLocalS6N2-v0", "BabyAI-GoToLocalS6N3-v0", "BabyAI-GoToLocalS6N4-v0", "BabyAI-GoToLocalS7N4-v0",
    "BabyAI-GoToLocalS7N5-v0", "BabyAI-GoToLocalS8N2-v0", "BabyAI-GoToLocalS8N3-v0", "BabyAI-GoToLocalS8N4-v0",
    "BabyAI-GoToLocalS8N5-v0", "BabyAI-GoToLocalS8N6-v0", "BabyAI-GoToLocalS8N7-v0", "BabyAI-GoTo-v0",
    "BabyAI-GoToOpen-v0", "BabyAI-GoToObjMaze-v0", "BabyAI-GoToObjMazeOpen-v0", "BabyAI-GoToObjMazeS4R2-v0",
    "BabyAI-GoToObjMazeS4-v0", "BabyAI-GoToObjMazeS5-v0", "BabyAI-GoToObjMazeS6-v0", "BabyAI-GoToObjMazeS7-v0",
    "BabyAI-GoToImpUnlock-v0", "BabyAI-GoToDoor-v0", "BabyAI-GoToObjDoor-v0",
]

class BabyAIGoToOptions(CommonOptions, total=False):
    """The options of BabyAIGoToId."""

    level: Literal["red_ball", "red_ball_grey", "red_blue_ball", "obj", "local", "maze", "imp_unlock", "door", "obj_door"]
    """the objects, and which of them the agent must go to; the default depends on the id."""
    num_dists: int
    """objects in red_ball, red_ball_grey, red_blue_ball, local and maze; an int from 0 to 24; the default depends on
    the id."""
    doors_open: bool
    """in maze, all doors are open; the default depends on the id."""
    room_size: int
    """rows and columns of a room, walls included; an int from 4 to 20; the default depends on the id."""
    num_rows: int
    """rows of rooms; an int from 1 to 3; the default depends on the id."""
    num_cols: int
    """columns of rooms; an int from 1 to 3; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 512."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

BabyAIOpenId = Literal[
    "BabyAI-Open-v0", "BabyAI-OpenRedDoor-v0", "BabyAI-OpenDoor-v0", "BabyAI-OpenDoorDebug-v0",
    "BabyAI-OpenDoorColor-v0", "BabyAI-OpenDoorLoc-v0", "BabyAI-OpenTwoDoors-v0", "BabyAI-OpenRedBlueDoors-v0",
    "BabyAI-OpenRedBlueDoorsDebug-v0", "BabyAI-OpenDoorsOrderN2-v0", "BabyAI-OpenDoorsOrderN2Debug-v0",
    "BabyAI-OpenDoorsOrderN4-v0", "BabyAI-OpenDoorsOrderN4Debug-v0",
]

class BabyAIOpenOptions(CommonOptions, total=False):
    """The options of BabyAIOpenId."""

    level: Literal["maze", "red_door", "door", "two_doors", "doors_order"]
    """the doors, and which of them the agent must open; the default depends on the id."""
    select_by: Literal["", "color", "loc"]
    """in door, the description of the target: by its color or its loc (place); random if empty; the default depends on
    the id."""
    first_color: Literal["", "red", "green", "blue", "purple", "yellow", "grey"]
    """colour of the first door in two_doors; random if empty; the default depends on the id."""
    second_color: Literal["", "red", "green", "blue", "purple", "yellow", "grey"]
    """colour of the second door in two_doors; random if empty; the default depends on the id."""
    num_doors: int
    """doors in doors_order; an int from 2 to 4; the default depends on the id."""
    strict: bool
    """opening a wrong door ends the episode (in two_doors, before the first one is open); the default depends on the
    id."""
    room_size: int
    """rows and columns of a room, walls included; an int from 3 to 20; the default depends on the id."""
    num_rows: int
    """rows of rooms; an int from 1 to 3; the default depends on the id."""
    num_cols: int
    """columns of rooms; an int from 1 to 3; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 512."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

BabyAIPickupId = Literal[
    "BabyAI-Pickup-v0", "BabyAI-UnblockPickup-v0", "BabyAI-PickupDist-v0", "BabyAI-PickupDistDebug-v0",
    "BabyAI-PickupAbove-v0", "BabyAI-FindObjS5-v0", "BabyAI-FindObjS6-v0", "BabyAI-FindObjS7-v0",
    "BabyAI-KeyCorridor-v0", "BabyAI-KeyCorridorS3R1-v0", "BabyAI-KeyCorridorS3R2-v0", "BabyAI-KeyCorridorS3R3-v0",
    "BabyAI-KeyCorridorS4R3-v0", "BabyAI-KeyCorridorS5R3-v0", "BabyAI-KeyCorridorS6R3-v0", "BabyAI-OneRoomS8-v0",
    "BabyAI-OneRoomS12-v0", "BabyAI-OneRoomS16-v0", "BabyAI-OneRoomS20-v0",
]

class BabyAIPickupOptions(CommonOptions, total=False):
    """The options of BabyAIPickupId."""

    level: Literal["maze", "unblock", "dist", "above", "find_obj", "key_corridor", "one_room"]
    """the objects, and which of them the agent must pick up; the default depends on the id."""
    strict: bool
    """in dist, picking up a wrong object ends the episode; the default depends on the id."""
    room_size: int
    """rows and columns of a room, walls included; an int from 3 to 20; the default depends on the id."""
    num_rows: int
    """rows of rooms; an int from 1 to 3; the default depends on the id."""
    num_cols: int
    """columns of rooms; an int from 1 to 3; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 512."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

BabyAIPutNextId = Literal[
    "BabyAI-PutNextLocal-v0", "BabyAI-PutNextLocalS5N3-v0", "BabyAI-PutNextLocalS6N4-v0", "BabyAI-PutNextS4N1-v0",
    "BabyAI-PutNextS5N2-v0", "BabyAI-PutNextS5N1-v0", "BabyAI-PutNextS6N3-v0", "BabyAI-PutNextS7N4-v0",
    "BabyAI-PutNextS5N2Carrying-v0", "BabyAI-PutNextS6N3Carrying-v0", "BabyAI-PutNextS7N4Carrying-v0",
    "BabyAI-MoveTwoAcrossS5N2-v0", "BabyAI-MoveTwoAcrossS8N9-v0",
]

class BabyAIPutNextOptions(CommonOptions, total=False):
    """The options of BabyAIPutNextId."""

    level: Literal["local", "two_rooms", "across"]
    """where the objects are; the default depends on the id."""
    room_size: int
    """rows and columns of a room, walls included; an int from 4 to 20; the default depends on the id."""
    num_objs: int
    """objects in each room; an int from 1 to 9; the default depends on the id."""
    start_carrying: bool
    """in two_rooms, the agent has the object from the first step on; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 512."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

BabyAIUnlockId = Literal[
    "BabyAI-Unlock-v0", "BabyAI-UnlockLocal-v0", "BabyAI-UnlockLocalDist-v0", "BabyAI-KeyInBox-v0",
    "BabyAI-UnlockPickup-v0", "BabyAI-UnlockPickupDist-v0", "BabyAI-BlockedUnlockPickup-v0", "BabyAI-UnlockToUnlock-v0",
]

class BabyAIUnlockOptions(CommonOptions, total=False):
    """The options of BabyAIUnlockId."""

    level: Literal["maze", "local", "key_in_box", "pickup", "blocked_pickup", "unlock_to_unlock"]
    """where the key is, and what the agent must do with it; the default depends on the id."""
    distractors: bool
    """in local and pickup, whether there are other objects; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 512."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

BabyAISynthId = Literal[
    "BabyAI-GoToSeq-v0", "BabyAI-GoToSeqS5R2-v0", "BabyAI-PickupLoc-v0", "BabyAI-Synth-v0", "BabyAI-SynthS5R2-v0",
    "BabyAI-SynthLoc-v0", "BabyAI-SynthSeq-v0", "BabyAI-MiniBossLevel-v0", "BabyAI-BossLevel-v0",
    "BabyAI-BossLevelNoUnlock-v0", "BabyAI-ActionObjDoor-v0",
]

class BabyAISynthOptions(CommonOptions, total=False):
    """The options of BabyAISynthId."""

    level: Literal["synth", "action_obj_door"]
    """how the level and its instruction are made; the default depends on the id."""
    num_dists: int
    """number of objects; an int from 0 to 24; the default depends on the id."""
    locked_room_prob: float
    """probability of a locked room; a number from 0 to 1; the default depends on the id."""
    locations: bool
    """descriptions may name the side of the agent's start on which an object lies; the default depends on the id."""
    unblocking: bool
    """objects may be in the way, so that the agent has to move them; the default depends on the id."""
    implicit_unlock: bool
    """instructions may concern objects in the locked room; the default depends on the id."""
    action_kinds: str | bytes
    """the verbs; the default depends on the id."""
    instr_kinds: str | bytes
    """the forms: one clause, two, or two parts in order; the default depends on the id."""
    room_size: int
    """rows and columns of a room, walls included; an int from 5 to 20; the default depends on the id."""
    num_rows: int
    """rows of rooms; an int from 1 to 3; the default depends on the id."""
    num_cols: int
    """columns of rooms; an int from 1 to 3; the default depends on the id."""
    max_steps: int
    """steps until an episode is truncated; the reward depends on it too; 0: the default of the level; an int from 0 to
    16777216; the default is 0."""
    agent_view_size: int
    """rows and columns that the agent sees, an odd number; an int from 3 to 15; the default is 7."""
    see_through_walls: bool
    """whether the agent sees through walls and closed doors; the default is False."""
    observation: Literal["partial", "full", "one_hot", "rgb_partial", "rgb_full", "symbolic", "flat"]
    """the image: the cells in view (partial), in one-hot form (one_hot), with the letters of the mission in one-hot
    form behind them (flat), or in RGB (rgb_partial); the whole grid (full), column, row and type of its cells
    (symbolic), or the grid in RGB (rgb_full); the default is 'partial'."""
    image_only: bool
    """the image is the whole observation, without direction and mission; the default is False."""
    tile_size: int
    """pixels of the side of a cell in RGB observations; an int from 1 to 32; the default is 8."""
    mission: Literal["text", "words"]
    """the mission as its letters (text), or as a number for each word (words); the default is 'text'."""
    mission_bytes: int
    """size of the mission as text; an int from 80 to 1024; the default is 512."""
    highlight: bool
    """an RGB image of the whole grid shows which cells the agent sees; the default is True."""

FourRoomsId = Literal[
    "FourRooms-misc",
]

class FourRoomsOptions(CommonOptions, total=False):
    """The options of FourRooms-misc."""

    use_visual_obs: bool
    """observe an image of the rooms; the default is False."""
    goal_fixed_row: int
    """row of the goal; goal_fixed=(row, column) sets both; an int from 1 to 11; the default is 8."""
    goal_fixed_column: int
    """column of the goal; an int from 1 to 11; the default is 9."""
    pos_fixed_row: int
    """row of the start; pos_fixed=(row, column) sets both; an int from 1 to 11; the default is 4."""
    pos_fixed_column: int
    """column of the start; an int from 1 to 11; the default is 1."""
    fail_prob: float
    """probability that a move goes in one of the other directions; a number from 0 to 0.75; the default is 0.333333."""
    resample_init_pos: bool
    """draw a random start in each episode; the default is False."""
    resample_goal_pos: bool
    """draw a random goal in each episode; the default is False."""

MetaMazeId = Literal[
    "MetaMaze-misc",
]

class MetaMazeOptions(CommonOptions, total=False):
    """The options of MetaMaze-misc."""

    maze_size: int
    """rows and columns of the maze, odd; an int from 1 to 1023; the default is 9."""
    rf_size: int
    """rows and columns of the visible cells, odd; an int from 3 to 1023; the default is 3."""
    reward: float
    """reward for reaching the goal; a number from -1e+18 to 1e+18; the default is 10."""
    punishment: float
    """reward for a move into a wall; a number from -1e+18 to 1e+18; the default is 0."""
    normalize_time: bool
    """observe the scaled time instead of the number of steps; the default is False."""

PointRobotId = Literal[
    "PointRobot-misc",
]

class PointRobotOptions(CommonOptions, total=False):
    """The options of PointRobot-misc."""

    max_force: float
    """largest change of x and of y in a step; a number from 1e-06 to 1000000; the default is 0.1."""
    circle_radius: float
    """radius of the half circle; a number from 0 to 1000000; the default is 1."""
    dense_reward: bool
    """the reward is the negative distance from the goal; the default is False."""
    goal_radius: float
    """distance at which the goal is reached; a number from 0 to 1000000; the default is 0.2."""
    center_init: bool
    """start at (0, 0) instead of a random position; the default is False."""
    normalize_time: bool
    """observe the scaled time instead of the number of steps; the default is True."""

BernoulliBanditId = Literal[
    "BernoulliBandit-misc",
]

class BernoulliBanditOptions(CommonOptions, total=False):
    """The options of BernoulliBandit-misc."""

    reward_prob: float
    """probability that one arm pays; the other pays with 1 - reward_prob; a number from 0 to 1; the default is 0.1."""
    normalize_time: bool
    """observe the scaled time instead of the number of steps; the default is True."""
    min_lim: float
    """scaled time at the start; a number; the default is -1."""
    max_lim: float
    """scaled time after t_max steps; a number; the default is 1."""
    t_max: int
    """steps until the scaled time is max_lim; an int from 1 to 16777216; the default is 100."""

GaussianBanditId = Literal[
    "GaussianBandit-misc",
]

class GaussianBanditOptions(CommonOptions, total=False):
    """The options of GaussianBandit-misc."""

    mean_mu: float
    """mean of mu; a number from -1e+18 to 1e+18; the default is -1."""
    sigma_p: float
    """standard deviation of mu, which is drawn in each episode; a number from 0 to 1e+18; the default is 1."""
    sigma_l: float
    """standard deviation of arm 1's reward, which is drawn in each step; a number from 0 to 1e+18; the default is
    0.1."""
    normalize_time: bool
    """observe the scaled time instead of the number of steps; the default is True."""

MiscReacherId = Literal[
    "Reacher-misc",
]

class MiscReacherOptions(CommonOptions, total=False):
    """The options of Reacher-misc."""

    num_joints: int
    """links of the arm; an int from 1 to 256; the default is 2."""
    torque_scale: float
    """angular acceleration from a torque of 1; a number from -1000000 to 1000000; the default is 1."""
    dt: float
    """s, duration of a step; a number from 0 to 1000000; the default is 0.05."""

MiscSwimmerId = Literal[
    "Swimmer-misc",
]

class MiscSwimmerOptions(CommonOptions, total=False):
    """The options of Swimmer-misc."""

    num_urchins: int
    """number of urchins; an int from 0 to 1024; the default is 5."""
    dt: float
    """s, duration of a step; a number from 0 to 1000000; the default is 0.05."""

PongId = Literal[
    "Pong-misc",
]

class PongOptions(CommonOptions, total=False):
    """The options of Pong-misc."""

    width: int
    """columns; an int from 3 to 1024; the default is 40."""
    height: int
    """rows; an int from 3 to 1024; the default is 30."""
    paddle_half_height: int
    """rows of a paddle above its middle, and as many below it; an int from 1 to 511; the default is 2."""
    ball_max_y_speed: int
    """greatest speed of the ball in y, in rows per step; an int from 0 to 1024; the default is 3."""
    paddle_y_speed: int
    """speed of a paddle, in rows per step; an int from 0 to 1024; the default is 1."""
    ball_x_speed: int
    """speed of the ball in x, in columns per step; an int from -1024 to 1024; the default is 1."""
    use_ai_policy: bool
    """the right paddle follows the ball; otherwise it copies the left one; the default is True."""
    reflect_top: bool
    """the ball also bounces off the upper edge; the default is False."""
    rounding: Literal["nearest", "towards_zero"]
    """rounding of the ball's speed in y; the default is 'nearest'."""

MiscMazeId = Literal[
    "UEDMaze-v0",
]

class MiscMazeOptions(CommonOptions, total=False):
    """The options of UEDMaze-v0."""

    walls: npt.ArrayLike
    """the walls of the level, by row and column; an array of shape (13, 13), each element True or False; the default is
    an array."""
    start: npt.ArrayLike
    """x and y of the agent's first cell; an array of shape (2,), each element an int from 0 to 12; the default is an
    array."""
    direction: int
    """the agent's first direction: 0 right, 1 down, 2 left, 3 up; an int from 0 to 3; the default is 0."""
    goal: npt.ArrayLike
    """x and y of the goal; an array of shape (2,), each element an int from 0 to 12; the default is an array."""
    random_walls: int
    """if positive, each episode has a random level with at most this many walls; an int from 0 to 120; the default is
    0."""
    max_steps: int
    """steps after which the reward for the goal would be 0.1; an int from 1 to 1000000; the default is 250."""
    penalize_time: bool
    """the reward for the goal decreases with time; the default is True."""
    see_agent: bool
    """the agent sees itself; the default is False."""
    agent_view_size: int
    """rows and columns that the agent sees, odd; an int from 3 to 25; the default is 5."""

PusherId = Literal[
    "Pusher-v2", "Pusher-v4", "Pusher-v5",
]

class PusherOptions(CommonOptions, total=False):
    """The options of PusherId."""

    xml_file: str | bytes
    """Model: name of one of gymnasium's files, a path, or XML; the default depends on the id."""
    frame_skip: int
    """Simulation steps for each action; an int from 1 to 10000; the default is 5."""
    frame_stack: int
    """Number of stacked observations, the oldest first; an int from 1 to 1000; the default is 1."""
    post_constraint: bool
    """Compute contact forces after a step; otherwise they are zeros; the default depends on the id."""
    info_version: int
    """Version of the environment whose infos are returned; an int from 2 to 5; the default depends on the id."""
    dist_cost_weight: float
    """Cost per unit of distance from cylinder to goal; a number; the default is 1."""
    ctrl_cost_weight: float
    """Cost per unit of squared torque; a number; the default is 0.1."""
    near_cost_weight: float
    """Cost per unit of distance from tip to cylinder; a number; the default is 0.5."""
    reward_after_step: bool
    """Use the distances after a step, not before it; the default depends on the id."""
    weighted_reward_info: bool
    """Apply the weights to the infos; the default depends on the id."""
    reset_qvel_scale: float
    """Scale of the noise on velocities at a reset; a number from 0 to 1000000; the default is 0.005."""
    cylinder_x_min: float
    """Lower bound of the cylinder's initial x; a number; the default is -0.3."""
    cylinder_x_max: float
    """Upper bound of the cylinder's initial x; a number; the default is 0."""
    cylinder_y_min: float
    """Lower bound of the cylinder's initial y; a number; the default is -0.2."""
    cylinder_y_max: float
    """Upper bound of the cylinder's initial y; a number; the default is 0.2."""
    cylinder_dist_min: float
    """Minimum initial distance of the cylinder from the goal; a number from -1 to 1000000; the default is 0.17."""
    from_pixels: bool
    """Observe pixels; the default is False."""
    render_width: int
    """Width of an image; 0 means 480, or 84 with from_pixels; an int from 0 to 8192; the default is 0."""
    render_height: int
    """Height of an image; 0 means 480, or 84 with from_pixels; an int from 0 to 8192; the default is 0."""
    render_camera_id: int
    """Number of a camera of the model; -1 is the free camera; an int from -1 to 1000000000; the default is -1."""
    camera_name: str | bytes
    """Name of a camera of the model; the default is ''."""
    default_camera_config: str | bytes
    """Settings of the free camera, such as 'distance=3 lookat=0,0,1'; the default is ''."""
    max_geom: int
    """Maximum number of geoms in an image; an int from 1 to 1000000; the default is 1000."""
    shadow_size: int
    """Side of the shadow map; 0: no shadows, -1: the model's. Shadows take most of the time; an int from -1 to 16384;
    the default is -1."""
    antialias: int
    """Samples per pixel; 0: one, -1: the model's; an int from -1 to 64; the default is -1."""
    gymnasium_v5_render_camera: bool
    """Use gymnasium's free camera; otherwise the model's camera 'track'; the default is True."""
    backend: str | bytes
    """What simulates the robot: 'mujoco' is MuJoCo's library; the default is 'mujoco'."""

ControlSuiteId = Literal[
    "AcrobotSwingup-v1", "AcrobotSwingupSparse-v1", "BallInCupCatch-v1", "CartpoleBalance-v1",
    "CartpoleBalanceSparse-v1", "CartpoleSwingup-v1", "CartpoleSwingupSparse-v1", "CartpoleTwoPoles-v1",
    "CartpoleThreePoles-v1", "CheetahRun-v1", "DogStand-v1", "DogWalk-v1", "DogTrot-v1", "DogRun-v1", "DogFetch-v1",
    "FingerSpin-v1", "FingerTurnEasy-v1", "FingerTurnHard-v1", "FishUpright-v1", "FishSwim-v1", "HopperStand-v1",
    "HopperHop-v1", "HumanoidStand-v1", "HumanoidWalk-v1", "HumanoidRun-v1", "HumanoidRunPureState-v1",
    "HumanoidCMUStand-v1", "HumanoidCMUWalk-v1", "HumanoidCMURun-v1", "LqrLqr21-v1", "LqrLqr62-v1",
    "ManipulatorBringBall-v1", "ManipulatorBringPeg-v1", "ManipulatorInsertBall-v1", "ManipulatorInsertPeg-v1",
    "PendulumSwingup-v1", "PointMassEasy-v1", "PointMassHard-v1", "QuadrupedWalk-v1", "QuadrupedRun-v1",
    "QuadrupedEscape-v1", "QuadrupedFetch-v1", "ReacherEasy-v1", "ReacherHard-v1", "StackerStack2-v1",
    "StackerStack4-v1", "SwimmerSwimmer6-v1", "SwimmerSwimmer15-v1", "WalkerStand-v1", "WalkerWalk-v1", "WalkerRun-v1",
]

class ControlSuiteOptions(CommonOptions, total=False):
    """The options of ControlSuiteId."""

    domain_name: str | bytes
    """Name of the domain in dm_control, such as cheetah; the default depends on the id."""
    task_name: str | bytes
    """Name of the task in dm_control, such as run; the default depends on the id."""
    xml_file: str | bytes
    """Model: a path or XML; empty for the suite's model; the default is ''."""
    frame_skip: int
    """Simulation steps for each action; an int from 1 to 10000; the default depends on the id."""
    frame_stack: int
    """Number of stacked observations, the oldest first; an int from 1 to 1000; the default is 1."""
    from_pixels: bool
    """Observe pixels; the default is False."""
    render_width: int
    """Width of an image; 0 means 480, or 84 with from_pixels; an int from 0 to 8192; the default is 0."""
    render_height: int
    """Height of an image; 0 means 480, or 84 with from_pixels; an int from 0 to 8192; the default is 0."""
    render_camera_id: int
    """Number of a camera of the model; -1 is the free camera; an int from -1 to 1000000000; the default is -1."""
    camera_name: str | bytes
    """Name of a camera of the model; the default is ''."""
    default_camera_config: str | bytes
    """Settings of the free camera, such as 'distance=3 lookat=0,0,1'; the default is ''."""
    max_geom: int
    """Maximum number of geoms in an image; an int from 1 to 1000000; the default is 1000."""
    shadow_size: int
    """Side of the shadow map; 0: no shadows, -1: the model's. Shadows take most of the time; an int from -1 to 16384;
    the default is -1."""
    antialias: int
    """Samples per pixel; 0: one, -1: the model's; an int from -1 to 64; the default is -1."""
    num_poles: int
    """see the family's registration; an int; the default is 3."""
    sparse: bool
    """see the family's registration; the default is False."""
    fully_observable: bool
    """see the family's registration; the default is True."""

MujocoId = Literal[
    "Mujoco-v0",
]

class MujocoOptions(CommonOptions, total=False):
    """The options of Mujoco-v0."""

    xml_file: str | bytes
    """Model: path of an MJCF or URDF file, or XML; the default is 'two_link_arm.xml'."""
    frame_skip: int
    """Simulation steps for each action; an int from 1 to 10000; the default is 1."""
    observation: str | bytes
    """Arrays of mjData in the observation; the default is 'qpos,qvel,sensordata'."""
    action: str | bytes
    """Arrays of mjData that an action sets; the default is 'ctrl'."""
    flat: bool
    """Observe one vector instead of a dict; the default is False."""
    keyframe: str | bytes
    """Name or number of the keyframe in which episodes begin; empty for the initial state; the default is ''."""
    qpos_noise: float
    """Bound of the uniform noise on positions at a reset; a number from 0 to 1000000; the default is 0."""
    qvel_noise: float
    """Standard deviation of the noise on velocities at a reset; a number from 0 to 1000000; the default is 0."""
    from_pixels: bool
    """Observe pixels; the default is False."""
    frame_stack: int
    """Number of images in an observation of pixels; an int from 1 to 1000; the default is 1."""
    render_width: int
    """Width of an image; 0 means 480, or 84 with from_pixels; an int from 0 to 8192; the default is 0."""
    render_height: int
    """Height of an image; 0 means 480, or 84 with from_pixels; an int from 0 to 8192; the default is 0."""
    render_camera_id: int
    """Number of a camera of the model; -1 is the free camera; an int from -1 to 1000000000; the default is -1."""
    camera_name: str | bytes
    """Name of a camera of the model; the default is ''."""
    default_camera_config: str | bytes
    """Settings of the free camera, such as 'distance=3 lookat=0,0,1'; the default is ''."""
    max_geom: int
    """Maximum number of geoms in an image; an int from 1 to 1000000; the default is 1000."""
    shadow_size: int
    """Side of the shadow map; 0: no shadows, -1: the model's. Shadows take most of the time; an int from -1 to 16384;
    the default is -1."""
    antialias: int
    """Samples per pixel; 0: one, -1: the model's; an int from -1 to 64; the default is -1."""

TicTacToeId = Literal[
    "TicTacToe-v1",
]

class TicTacToeOptions(CommonOptions, total=False):
    """The options of TicTacToe-v1."""


ConnectFourId = Literal[
    "ConnectFour-v1",
]

class ConnectFourOptions(CommonOptions, total=False):
    """The options of ConnectFour-v1."""


OthelloId = Literal[
    "Othello-v1",
]

class OthelloOptions(CommonOptions, total=False):
    """The options of Othello-v1."""


ChessId = Literal[
    "Chess-v1",
]

class ChessOptions(CommonOptions, total=False):
    """The options of Chess-v1."""


GardnerChessId = Literal[
    "GardnerChess-v1",
]

class GardnerChessOptions(CommonOptions, total=False):
    """The options of GardnerChess-v1."""


AnimalShogiId = Literal[
    "AnimalShogi-v1",
]

class AnimalShogiOptions(CommonOptions, total=False):
    """The options of AnimalShogi-v1."""


ShogiId = Literal[
    "Shogi-v1",
]

class ShogiOptions(CommonOptions, total=False):
    """The options of Shogi-v1."""


HexId = Literal[
    "Hex-v1",
]

class HexOptions(CommonOptions, total=False):
    """The options of Hex-v1."""


BackgammonId = Literal[
    "Backgammon-v1",
]

class BackgammonOptions(CommonOptions, total=False):
    """The options of Backgammon-v1."""


KuhnPokerId = Literal[
    "KuhnPoker-v1",
]

class KuhnPokerOptions(CommonOptions, total=False):
    """The options of KuhnPoker-v1."""


LeducHoldemId = Literal[
    "LeducHoldem-v1",
]

class LeducHoldemOptions(CommonOptions, total=False):
    """The options of LeducHoldem-v1."""


SparrowMahjongId = Literal[
    "SparrowMahjong-v1",
]

class SparrowMahjongOptions(CommonOptions, total=False):
    """The options of SparrowMahjong-v1."""


Play2048Id = Literal[
    "Play2048-v1",
]

class Play2048Options(CommonOptions, total=False):
    """The options of Play2048-v1."""


ChineseGo9x9Id = Literal[
    "ChineseGo9x9-v1",
]

class ChineseGo9x9Options(CommonOptions, total=False):
    """The options of ChineseGo9x9-v1."""

    komi: float
    """points that White gets for moving second; a number from -81 to 81; the default is 7.5."""
    max_terminal_steps: int
    """moves after which the game ends; 0: twice as many as there are points; an int from 0 to 162; the default is 0."""

Go9x9Id = Literal[
    "Go9x9-v1",
]

class Go9x9Options(CommonOptions, total=False):
    """The options of Go9x9-v1."""

    komi: float
    """points that White gets for moving second; a number from -81 to 81; the default is 7.5."""
    max_terminal_steps: int
    """moves after which the game ends; 0: twice as many as there are points; an int from 0 to 162; the default is 0."""

ChineseGo13x13Id = Literal[
    "ChineseGo13x13-v1",
]

class ChineseGo13x13Options(CommonOptions, total=False):
    """The options of ChineseGo13x13-v1."""

    komi: float
    """points that White gets for moving second; a number from -169 to 169; the default is 7.5."""
    max_terminal_steps: int
    """moves after which the game ends; 0: twice as many as there are points; an int from 0 to 338; the default is 0."""

Go13x13Id = Literal[
    "Go13x13-v1",
]

class Go13x13Options(CommonOptions, total=False):
    """The options of Go13x13-v1."""

    komi: float
    """points that White gets for moving second; a number from -169 to 169; the default is 7.5."""
    max_terminal_steps: int
    """moves after which the game ends; 0: twice as many as there are points; an int from 0 to 338; the default is 0."""

ChineseGo19x19Id = Literal[
    "ChineseGo19x19-v1",
]

class ChineseGo19x19Options(CommonOptions, total=False):
    """The options of ChineseGo19x19-v1."""

    komi: float
    """points that White gets for moving second; a number from -361 to 361; the default is 7.5."""
    max_terminal_steps: int
    """moves after which the game ends; 0: twice as many as there are points; an int from 0 to 722; the default is 0."""

Go19x19Id = Literal[
    "Go19x19-v1",
]

class Go19x19Options(CommonOptions, total=False):
    """The options of Go19x19-v1."""

    komi: float
    """points that White gets for moving second; a number from -361 to 361; the default is 7.5."""
    max_terminal_steps: int
    """moves after which the game ends; 0: twice as many as there are points; an int from 0 to 722; the default is 0."""

ProcgenBigfishId = Literal[
    "BigfishEasy-v0", "BigfishHard-v0", "procgen-bigfish-v0",
]

class ProcgenBigfishOptions(CommonOptions, total=False):
    """The options of ProcgenBigfishId."""

    distribution_mode: Literal["easy", "hard"]
    """how levels vary: 'exploration' is one level of 'hard'; the default depends on the id."""
    num_levels: int
    """number of levels; 0: all, and start_level is ignored; an int from 0 to 2147483647; the default is 0."""
    start_level: int
    """seed of the first of num_levels levels; an int from 0 to 2147483647; the default is 0."""
    use_sequential_levels: bool
    """an episode goes on in another level when one is complete; the default is False."""
    center_agent: bool
    """the view follows the agent, in games that do not decide this themselves; the default is True."""
    use_backgrounds: bool
    """draws an image behind the level; otherwise it is black; the default is True."""
    use_monochrome_assets: bool
    """draws rectangles of one colour instead of images; the default is False."""
    restrict_themes: bool
    """draws only the first of several images of the same thing; the default is False."""
    paint_vel_info: bool
    """paints the agent's velocity, in games in which it has one; the default is False."""
    channel_first: bool
    """observations are (3, 64, 64), not (64, 64, 3); the default depends on the id."""
    art: str | bytes
    """The game's images in the form of envpool/procgen/art.py; if empty, they come from a package; the default is
    ''."""

ProcgenBossfightId = Literal[
    "BossfightEasy-v0", "BossfightHard-v0", "procgen-bossfight-v0",
]

class ProcgenBossfightOptions(CommonOptions, total=False):
    """The options of ProcgenBossfightId."""

    distribution_mode: Literal["easy", "hard"]
    """how levels vary: 'exploration' is one level of 'hard'; the default depends on the id."""
    num_levels: int
    """number of levels; 0: all, and start_level is ignored; an int from 0 to 2147483647; the default is 0."""
    start_level: int
    """seed of the first of num_levels levels; an int from 0 to 2147483647; the default is 0."""
    use_sequential_levels: bool
    """an episode goes on in another level when one is complete; the default is False."""
    center_agent: bool
    """the view follows the agent, in games that do not decide this themselves; the default is True."""
    use_backgrounds: bool
    """draws an image behind the level; otherwise it is black; the default is True."""
    use_monochrome_assets: bool
    """draws rectangles of one colour instead of images; the default is False."""
    restrict_themes: bool
    """draws only the first of several images of the same thing; the default is False."""
    paint_vel_info: bool
    """paints the agent's velocity, in games in which it has one; the default is False."""
    channel_first: bool
    """observations are (3, 64, 64), not (64, 64, 3); the default depends on the id."""
    art: str | bytes
    """The game's images in the form of envpool/procgen/art.py; if empty, they come from a package; the default is
    ''."""

ProcgenCaveflyerId = Literal[
    "CaveflyerEasy-v0", "CaveflyerHard-v0", "CaveflyerMemory-v0", "CaveflyerExploration-v0", "procgen-caveflyer-v0",
]

class ProcgenCaveflyerOptions(CommonOptions, total=False):
    """The options of ProcgenCaveflyerId."""

    distribution_mode: Literal["easy", "hard", "memory", "exploration"]
    """how levels vary: 'exploration' is one level of 'hard'; the default depends on the id."""
    num_levels: int
    """number of levels; 0: all, and start_level is ignored; an int from 0 to 2147483647; the default is 0."""
    start_level: int
    """seed of the first of num_levels levels; an int from 0 to 2147483647; the default is 0."""
    use_sequential_levels: bool
    """an episode goes on in another level when one is complete; the default is False."""
    center_agent: bool
    """the view follows the agent, in games that do not decide this themselves; the default is True."""
    use_backgrounds: bool
    """draws an image behind the level; otherwise it is black; the default is True."""
    use_monochrome_assets: bool
    """draws rectangles of one colour instead of images; the default is False."""
    restrict_themes: bool
    """draws only the first of several images of the same thing; the default is False."""
    paint_vel_info: bool
    """paints the agent's velocity, in games in which it has one; the default is False."""
    channel_first: bool
    """observations are (3, 64, 64), not (64, 64, 3); the default depends on the id."""
    art: str | bytes
    """The game's images in the form of envpool/procgen/art.py; if empty, they come from a package; the default is
    ''."""

ProcgenChaserId = Literal[
    "ChaserEasy-v0", "ChaserHard-v0", "ChaserExtreme-v0", "procgen-chaser-v0",
]

class ProcgenChaserOptions(CommonOptions, total=False):
    """The options of ProcgenChaserId."""

    distribution_mode: Literal["easy", "hard", "extreme"]
    """how levels vary: 'exploration' is one level of 'hard'; the default depends on the id."""
    num_levels: int
    """number of levels; 0: all, and start_level is ignored; an int from 0 to 2147483647; the default is 0."""
    start_level: int
    """seed of the first of num_levels levels; an int from 0 to 2147483647; the default is 0."""
    use_sequential_levels: bool
    """an episode goes on in another level when one is complete; the default is False."""
    center_agent: bool
    """the view follows the agent, in games that do not decide this themselves; the default is True."""
    use_backgrounds: bool
    """draws an image behind the level; otherwise it is black; the default is True."""
    use_monochrome_assets: bool
    """draws rectangles of one colour instead of images; the default is False."""
    restrict_themes: bool
    """draws only the first of several images of the same thing; the default is False."""
    paint_vel_info: bool
    """paints the agent's velocity, in games in which it has one; the default is False."""
    channel_first: bool
    """observations are (3, 64, 64), not (64, 64, 3); the default depends on the id."""
    art: str | bytes
    """The game's images in the form of envpool/procgen/art.py; if empty, they come from a package; the default is
    ''."""

ProcgenClimberId = Literal[
    "ClimberEasy-v0", "ClimberHard-v0", "ClimberExploration-v0", "procgen-climber-v0",
]

class ProcgenClimberOptions(CommonOptions, total=False):
    """The options of ProcgenClimberId."""

    distribution_mode: Literal["easy", "hard", "exploration"]
    """how levels vary: 'exploration' is one level of 'hard'; the default depends on the id."""
    num_levels: int
    """number of levels; 0: all, and start_level is ignored; an int from 0 to 2147483647; the default is 0."""
    start_level: int
    """seed of the first of num_levels levels; an int from 0 to 2147483647; the default is 0."""
    use_sequential_levels: bool
    """an episode goes on in another level when one is complete; the default is False."""
    center_agent: bool
    """the view follows the agent, in games that do not decide this themselves; the default is True."""
    use_backgrounds: bool
    """draws an image behind the level; otherwise it is black; the default is True."""
    use_monochrome_assets: bool
    """draws rectangles of one colour instead of images; the default is False."""
    restrict_themes: bool
    """draws only the first of several images of the same thing; the default is False."""
    paint_vel_info: bool
    """paints the agent's velocity, in games in which it has one; the default is False."""
    channel_first: bool
    """observations are (3, 64, 64), not (64, 64, 3); the default depends on the id."""
    art: str | bytes
    """The game's images in the form of envpool/procgen/art.py; if empty, they come from a package; the default is
    ''."""

ProcgenCoinrunId = Literal[
    "CoinrunEasy-v0", "CoinrunHard-v0", "CoinrunExploration-v0", "procgen-coinrun-v0",
]

class ProcgenCoinrunOptions(CommonOptions, total=False):
    """The options of ProcgenCoinrunId."""

    distribution_mode: Literal["easy", "hard", "exploration"]
    """how levels vary: 'exploration' is one level of 'hard'; the default depends on the id."""
    num_levels: int
    """number of levels; 0: all, and start_level is ignored; an int from 0 to 2147483647; the default is 0."""
    start_level: int
    """seed of the first of num_levels levels; an int from 0 to 2147483647; the default is 0."""
    use_sequential_levels: bool
    """an episode goes on in another level when one is complete; the default is False."""
    center_agent: bool
    """the view follows the agent, in games that do not decide this themselves; the default is True."""
    use_backgrounds: bool
    """draws an image behind the level; otherwise it is black; the default is True."""
    use_monochrome_assets: bool
    """draws rectangles of one colour instead of images; the default is False."""
    restrict_themes: bool
    """draws only the first of several images of the same thing; the default is False."""
    paint_vel_info: bool
    """paints the agent's velocity, in games in which it has one; the default is False."""
    channel_first: bool
    """observations are (3, 64, 64), not (64, 64, 3); the default depends on the id."""
    art: str | bytes
    """The game's images in the form of envpool/procgen/art.py; if empty, they come from a package; the default is
    ''."""

ProcgenDodgeballId = Literal[
    "DodgeballEasy-v0", "DodgeballHard-v0", "DodgeballExtreme-v0", "DodgeballMemory-v0", "procgen-dodgeball-v0",
]

class ProcgenDodgeballOptions(CommonOptions, total=False):
    """The options of ProcgenDodgeballId."""

    distribution_mode: Literal["easy", "hard", "extreme", "memory"]
    """how levels vary: 'exploration' is one level of 'hard'; the default depends on the id."""
    num_levels: int
    """number of levels; 0: all, and start_level is ignored; an int from 0 to 2147483647; the default is 0."""
    start_level: int
    """seed of the first of num_levels levels; an int from 0 to 2147483647; the default is 0."""
    use_sequential_levels: bool
    """an episode goes on in another level when one is complete; the default is False."""
    center_agent: bool
    """the view follows the agent, in games that do not decide this themselves; the default is True."""
    use_backgrounds: bool
    """draws an image behind the level; otherwise it is black; the default is True."""
    use_monochrome_assets: bool
    """draws rectangles of one colour instead of images; the default is False."""
    restrict_themes: bool
    """draws only the first of several images of the same thing; the default is False."""
    paint_vel_info: bool
    """paints the agent's velocity, in games in which it has one; the default is False."""
    channel_first: bool
    """observations are (3, 64, 64), not (64, 64, 3); the default depends on the id."""
    art: str | bytes
    """The game's images in the form of envpool/procgen/art.py; if empty, they come from a package; the default is
    ''."""

ProcgenFruitbotId = Literal[
    "FruitbotEasy-v0", "FruitbotHard-v0", "procgen-fruitbot-v0",
]

class ProcgenFruitbotOptions(CommonOptions, total=False):
    """The options of ProcgenFruitbotId."""

    distribution_mode: Literal["easy", "hard"]
    """how levels vary: 'exploration' is one level of 'hard'; the default depends on the id."""
    num_levels: int
    """number of levels; 0: all, and start_level is ignored; an int from 0 to 2147483647; the default is 0."""
    start_level: int
    """seed of the first of num_levels levels; an int from 0 to 2147483647; the default is 0."""
    use_sequential_levels: bool
    """an episode goes on in another level when one is complete; the default is False."""
    center_agent: bool
    """the view follows the agent, in games that do not decide this themselves; the default is True."""
    use_backgrounds: bool
    """draws an image behind the level; otherwise it is black; the default is True."""
    use_monochrome_assets: bool
    """draws rectangles of one colour instead of images; the default is False."""
    restrict_themes: bool
    """draws only the first of several images of the same thing; the default is False."""
    paint_vel_info: bool
    """paints the agent's velocity, in games in which it has one; the default is False."""
    channel_first: bool
    """observations are (3, 64, 64), not (64, 64, 3); the default depends on the id."""
    art: str | bytes
    """The game's images in the form of envpool/procgen/art.py; if empty, they come from a package; the default is
    ''."""

ProcgenHeistId = Literal[
    "HeistEasy-v0", "HeistHard-v0", "HeistMemory-v0", "HeistExploration-v0", "procgen-heist-v0",
]

class ProcgenHeistOptions(CommonOptions, total=False):
    """The options of ProcgenHeistId."""

    distribution_mode: Literal["easy", "hard", "memory", "exploration"]
    """how levels vary: 'exploration' is one level of 'hard'; the default depends on the id."""
    num_levels: int
    """number of levels; 0: all, and start_level is ignored; an int from 0 to 2147483647; the default is 0."""
    start_level: int
    """seed of the first of num_levels levels; an int from 0 to 2147483647; the default is 0."""
    use_sequential_levels: bool
    """an episode goes on in another level when one is complete; the default is False."""
    center_agent: bool
    """the view follows the agent, in games that do not decide this themselves; the default is True."""
    use_backgrounds: bool
    """draws an image behind the level; otherwise it is black; the default is True."""
    use_monochrome_assets: bool
    """draws rectangles of one colour instead of images; the default is False."""
    restrict_themes: bool
    """draws only the first of several images of the same thing; the default is False."""
    paint_vel_info: bool
    """paints the agent's velocity, in games in which it has one; the default is False."""
    channel_first: bool
    """observations are (3, 64, 64), not (64, 64, 3); the default depends on the id."""
    art: str | bytes
    """The game's images in the form of envpool/procgen/art.py; if empty, they come from a package; the default is
    ''."""

ProcgenJumperId = Literal[
    "JumperEasy-v0", "JumperHard-v0", "JumperMemory-v0", "JumperExploration-v0", "procgen-jumper-v0",
]

class ProcgenJumperOptions(CommonOptions, total=False):
    """The options of ProcgenJumperId."""

    distribution_mode: Literal["easy", "hard", "memory", "exploration"]
    """how levels vary: 'exploration' is one level of 'hard'; the default depends on the id."""
    num_levels: int
    """number of levels; 0: all, and start_level is ignored; an int from 0 to 2147483647; the default is 0."""
    start_level: int
    """seed of the first of num_levels levels; an int from 0 to 2147483647; the default is 0."""
    use_sequential_levels: bool
    """an episode goes on in another level when one is complete; the default is False."""
    center_agent: bool
    """the view follows the agent, in games that do not decide this themselves; the default is True."""
    use_backgrounds: bool
    """draws an image behind the level; otherwise it is black; the default is True."""
    use_monochrome_assets: bool
    """draws rectangles of one colour instead of images; the default is False."""
    restrict_themes: bool
    """draws only the first of several images of the same thing; the default is False."""
    paint_vel_info: bool
    """paints the agent's velocity, in games in which it has one; the default is False."""
    channel_first: bool
    """observations are (3, 64, 64), not (64, 64, 3); the default depends on the id."""
    art: str | bytes
    """The game's images in the form of envpool/procgen/art.py; if empty, they come from a package; the default is
    ''."""

ProcgenLeaperId = Literal[
    "LeaperEasy-v0", "LeaperHard-v0", "LeaperExtreme-v0", "LeaperExploration-v0", "procgen-leaper-v0",
]

class ProcgenLeaperOptions(CommonOptions, total=False):
    """The options of ProcgenLeaperId."""

    distribution_mode: Literal["easy", "hard", "extreme", "exploration"]
    """how levels vary: 'exploration' is one level of 'hard'; the default depends on the id."""
    num_levels: int
    """number of levels; 0: all, and start_level is ignored; an int from 0 to 2147483647; the default is 0."""
    start_level: int
    """seed of the first of num_levels levels; an int from 0 to 2147483647; the default is 0."""
    use_sequential_levels: bool
    """an episode goes on in another level when one is complete; the default is False."""
    center_agent: bool
    """the view follows the agent, in games that do not decide this themselves; the default is True."""
    use_backgrounds: bool
    """draws an image behind the level; otherwise it is black; the default is True."""
    use_monochrome_assets: bool
    """draws rectangles of one colour instead of images; the default is False."""
    restrict_themes: bool
    """draws only the first of several images of the same thing; the default is False."""
    paint_vel_info: bool
    """paints the agent's velocity, in games in which it has one; the default is False."""
    channel_first: bool
    """observations are (3, 64, 64), not (64, 64, 3); the default depends on the id."""
    art: str | bytes
    """The game's images in the form of envpool/procgen/art.py; if empty, they come from a package; the default is
    ''."""

ProcgenMazeId = Literal[
    "MazeEasy-v0", "MazeHard-v0", "MazeMemory-v0", "MazeExploration-v0", "procgen-maze-v0",
]

class ProcgenMazeOptions(CommonOptions, total=False):
    """The options of ProcgenMazeId."""

    distribution_mode: Literal["easy", "hard", "memory", "exploration"]
    """how levels vary: 'exploration' is one level of 'hard'; the default depends on the id."""
    num_levels: int
    """number of levels; 0: all, and start_level is ignored; an int from 0 to 2147483647; the default is 0."""
    start_level: int
    """seed of the first of num_levels levels; an int from 0 to 2147483647; the default is 0."""
    use_sequential_levels: bool
    """an episode goes on in another level when one is complete; the default is False."""
    center_agent: bool
    """the view follows the agent, in games that do not decide this themselves; the default is True."""
    use_backgrounds: bool
    """draws an image behind the level; otherwise it is black; the default is True."""
    use_monochrome_assets: bool
    """draws rectangles of one colour instead of images; the default is False."""
    restrict_themes: bool
    """draws only the first of several images of the same thing; the default is False."""
    paint_vel_info: bool
    """paints the agent's velocity, in games in which it has one; the default is False."""
    channel_first: bool
    """observations are (3, 64, 64), not (64, 64, 3); the default depends on the id."""
    art: str | bytes
    """The game's images in the form of envpool/procgen/art.py; if empty, they come from a package; the default is
    ''."""

ProcgenMinerId = Literal[
    "MinerEasy-v0", "MinerHard-v0", "MinerMemory-v0", "procgen-miner-v0",
]

class ProcgenMinerOptions(CommonOptions, total=False):
    """The options of ProcgenMinerId."""

    distribution_mode: Literal["easy", "hard", "memory"]
    """how levels vary: 'exploration' is one level of 'hard'; the default depends on the id."""
    num_levels: int
    """number of levels; 0: all, and start_level is ignored; an int from 0 to 2147483647; the default is 0."""
    start_level: int
    """seed of the first of num_levels levels; an int from 0 to 2147483647; the default is 0."""
    use_sequential_levels: bool
    """an episode goes on in another level when one is complete; the default is False."""
    center_agent: bool
    """the view follows the agent, in games that do not decide this themselves; the default is True."""
    use_backgrounds: bool
    """draws an image behind the level; otherwise it is black; the default is True."""
    use_monochrome_assets: bool
    """draws rectangles of one colour instead of images; the default is False."""
    restrict_themes: bool
    """draws only the first of several images of the same thing; the default is False."""
    paint_vel_info: bool
    """paints the agent's velocity, in games in which it has one; the default is False."""
    channel_first: bool
    """observations are (3, 64, 64), not (64, 64, 3); the default depends on the id."""
    art: str | bytes
    """The game's images in the form of envpool/procgen/art.py; if empty, they come from a package; the default is
    ''."""

ProcgenNinjaId = Literal[
    "NinjaEasy-v0", "NinjaHard-v0", "NinjaExploration-v0", "procgen-ninja-v0",
]

class ProcgenNinjaOptions(CommonOptions, total=False):
    """The options of ProcgenNinjaId."""

    distribution_mode: Literal["easy", "hard", "exploration"]
    """how levels vary: 'exploration' is one level of 'hard'; the default depends on the id."""
    num_levels: int
    """number of levels; 0: all, and start_level is ignored; an int from 0 to 2147483647; the default is 0."""
    start_level: int
    """seed of the first of num_levels levels; an int from 0 to 2147483647; the default is 0."""
    use_sequential_levels: bool
    """an episode goes on in another level when one is complete; the default is False."""
    center_agent: bool
    """the view follows the agent, in games that do not decide this themselves; the default is True."""
    use_backgrounds: bool
    """draws an image behind the level; otherwise it is black; the default is True."""
    use_monochrome_assets: bool
    """draws rectangles of one colour instead of images; the default is False."""
    restrict_themes: bool
    """draws only the first of several images of the same thing; the default is False."""
    paint_vel_info: bool
    """paints the agent's velocity, in games in which it has one; the default is False."""
    channel_first: bool
    """observations are (3, 64, 64), not (64, 64, 3); the default depends on the id."""
    art: str | bytes
    """The game's images in the form of envpool/procgen/art.py; if empty, they come from a package; the default is
    ''."""

ProcgenPlunderId = Literal[
    "PlunderEasy-v0", "PlunderHard-v0", "procgen-plunder-v0",
]

class ProcgenPlunderOptions(CommonOptions, total=False):
    """The options of ProcgenPlunderId."""

    distribution_mode: Literal["easy", "hard"]
    """how levels vary: 'exploration' is one level of 'hard'; the default depends on the id."""
    num_levels: int
    """number of levels; 0: all, and start_level is ignored; an int from 0 to 2147483647; the default is 0."""
    start_level: int
    """seed of the first of num_levels levels; an int from 0 to 2147483647; the default is 0."""
    use_sequential_levels: bool
    """an episode goes on in another level when one is complete; the default is False."""
    center_agent: bool
    """the view follows the agent, in games that do not decide this themselves; the default is True."""
    use_backgrounds: bool
    """draws an image behind the level; otherwise it is black; the default is True."""
    use_monochrome_assets: bool
    """draws rectangles of one colour instead of images; the default is False."""
    restrict_themes: bool
    """draws only the first of several images of the same thing; the default is False."""
    paint_vel_info: bool
    """paints the agent's velocity, in games in which it has one; the default is False."""
    channel_first: bool
    """observations are (3, 64, 64), not (64, 64, 3); the default depends on the id."""
    art: str | bytes
    """The game's images in the form of envpool/procgen/art.py; if empty, they come from a package; the default is
    ''."""

ProcgenStarpilotId = Literal[
    "StarpilotEasy-v0", "StarpilotHard-v0", "StarpilotExtreme-v0", "procgen-starpilot-v0",
]

class ProcgenStarpilotOptions(CommonOptions, total=False):
    """The options of ProcgenStarpilotId."""

    distribution_mode: Literal["easy", "hard", "extreme"]
    """how levels vary: 'exploration' is one level of 'hard'; the default depends on the id."""
    num_levels: int
    """number of levels; 0: all, and start_level is ignored; an int from 0 to 2147483647; the default is 0."""
    start_level: int
    """seed of the first of num_levels levels; an int from 0 to 2147483647; the default is 0."""
    use_sequential_levels: bool
    """an episode goes on in another level when one is complete; the default is False."""
    center_agent: bool
    """the view follows the agent, in games that do not decide this themselves; the default is True."""
    use_backgrounds: bool
    """draws an image behind the level; otherwise it is black; the default is True."""
    use_monochrome_assets: bool
    """draws rectangles of one colour instead of images; the default is False."""
    restrict_themes: bool
    """draws only the first of several images of the same thing; the default is False."""
    paint_vel_info: bool
    """paints the agent's velocity, in games in which it has one; the default is False."""
    channel_first: bool
    """observations are (3, 64, 64), not (64, 64, 3); the default depends on the id."""
    art: str | bytes
    """The game's images in the form of envpool/procgen/art.py; if empty, they come from a package; the default is
    ''."""

AntId = Literal[
    "Ant-v3", "Ant-v4", "Ant-v5",
]

class AntOptions(CommonOptions, total=False):
    """The options of AntId."""

    frame_skip: int
    """Simulation steps for each action; an int from 1 to 10000; the default is 5."""
    info_version: int
    """Version of the environment whose infos are returned; an int from 2 to 5; the default depends on the id."""
    forward_reward_weight: float
    """Reward per unit of velocity; a number; the default is 1."""
    ctrl_cost_weight: float
    """Cost per unit of squared torque; a number; the default is 0.5."""
    contact_cost_weight: float
    """Cost per unit of squared contact force; a number; the default is 0.0005."""
    healthy_reward: float
    """Reward for a step in a healthy state; a number; the default is 1."""
    terminate_when_unhealthy: bool
    """Terminate the episode in an unhealthy state; the default is True."""
    legacy_healthy_reward: bool
    """Also give healthy_reward for the step in which the robot becomes unhealthy; the default depends on the id."""
    healthy_z_min: float
    """Lower bound of the torso's height in a healthy state; a number; the default is 0.2."""
    healthy_z_max: float
    """Upper bound of the torso's height in a healthy state; a number; the default is 1."""
    main_body: int
    """Number of the body whose velocity is rewarded; 1 is the torso; an int from 0 to 13; the default is 1."""
    contact_force_min: float
    """Lower bound of contact forces; a number; the default is -1."""
    contact_force_max: float
    """Upper bound of contact forces; a number; the default is 1."""
    reset_noise_scale: float
    """Scale of the noise at a reset; a number from 0 to 1000000; the default is 0.1."""
    exclude_current_positions_from_observation: bool
    """Leave the torso's x and y out of the observation; the default is True."""
    use_contact_force: bool
    """Contact forces have a cost and are observed; the default depends on the id."""
    post_constraint: bool
    """Compute contact forces after a step; otherwise they are zeros; the default depends on the id."""
    include_cfrc_ext_in_observation: bool
    """Observe contact forces, if use_contact_force is set; the default is True."""
    exclude_worldbody_contact_forces: bool
    """Leave contact forces of the world body out of the observation; the default depends on the id."""
    backend: str | bytes
    """What simulates the robot: 'envpool' is our solver, 'mujoco' is MuJoCo's library; the default is 'envpool'."""
    xml_file: str | bytes
    """Model: name of one of gymnasium's files, a path, or XML; another one than the id's needs the library; the default
    is 'ant.xml'."""
    frame_stack: int
    """Number of stacked observations, the oldest first; more than 1 needs the library; an int; the default is 1."""
    from_pixels: bool
    """Observe pixels; needs the library; the default is False."""
    render_width: int
    """Width of an image; 0 means 480; an int; the default is 0."""
    render_height: int
    """Height of an image; 0 means 480; an int; the default is 0."""
    render_camera_id: int
    """Number of a camera of the model; -1 is the free camera; an int; the default is -1."""
    camera_name: str | bytes
    """Name of a camera of the model; the default is ''."""
    default_camera_config: str | bytes
    """Settings of the free camera, such as 'distance=3 lookat=0,0,1'; the default is ''."""
    max_geom: int
    """Maximum number of geoms in an image; an int; the default is 1000."""
    shadow_size: int
    """Side of the shadow map; 0: no shadows, -1: the model's; an int; the default is -1."""
    antialias: int
    """Samples per pixel; 0: one, -1: the model's; an int; the default is -1."""
    gymnasium_v5_render_camera: bool
    """Use gymnasium's free camera; otherwise the model's camera 'track'; the default is True."""

HalfCheetahId = Literal[
    "HalfCheetah-v3", "HalfCheetah-v4", "HalfCheetah-v5",
]

class HalfCheetahOptions(CommonOptions, total=False):
    """The options of HalfCheetahId."""

    frame_skip: int
    """Simulation steps for each action; an int from 1 to 10000; the default is 5."""
    info_version: int
    """Version of the environment whose infos are returned; an int from 2 to 5; the default depends on the id."""
    forward_reward_weight: float
    """Reward per unit of velocity; a number; the default is 1."""
    ctrl_cost_weight: float
    """Cost per unit of squared torque; a number; the default is 0.1."""
    reset_noise_scale: float
    """Scale of the noise at a reset; a number from 0 to 1000000; the default is 0.1."""
    exclude_current_positions_from_observation: bool
    """Leave the root's x out of the observation; the default is True."""
    backend: str | bytes
    """What simulates the robot: 'envpool' is our solver, 'mujoco' is MuJoCo's library; the default is 'envpool'."""
    xml_file: str | bytes
    """Model: name of one of gymnasium's files, a path, or XML; another one than the id's needs the library; the default
    is 'half_cheetah.xml'."""
    frame_stack: int
    """Number of stacked observations, the oldest first; more than 1 needs the library; an int; the default is 1."""
    from_pixels: bool
    """Observe pixels; needs the library; the default is False."""
    post_constraint: bool
    """Compute contact forces after a step, which this robot does not use; the default depends on the id."""
    render_width: int
    """Width of an image; 0 means 480; an int; the default is 0."""
    render_height: int
    """Height of an image; 0 means 480; an int; the default is 0."""
    render_camera_id: int
    """Number of a camera of the model; -1 is the free camera; an int; the default is -1."""
    camera_name: str | bytes
    """Name of a camera of the model; the default is ''."""
    default_camera_config: str | bytes
    """Settings of the free camera, such as 'distance=3 lookat=0,0,1'; the default is ''."""
    max_geom: int
    """Maximum number of geoms in an image; an int; the default is 1000."""
    shadow_size: int
    """Side of the shadow map; 0: no shadows, -1: the model's; an int; the default is -1."""
    antialias: int
    """Samples per pixel; 0: one, -1: the model's; an int; the default is -1."""
    gymnasium_v5_render_camera: bool
    """Use gymnasium's free camera; otherwise the model's camera 'track'; the default is True."""

HopperId = Literal[
    "Hopper-v3", "Hopper-v4", "Hopper-v5",
]

class HopperOptions(CommonOptions, total=False):
    """The options of HopperId."""

    frame_skip: int
    """Simulation steps for each action; an int from 1 to 10000; the default is 4."""
    info_version: int
    """Version of the environment whose infos are returned; an int from 2 to 5; the default depends on the id."""
    forward_reward_weight: float
    """Reward per unit of velocity; a number; the default is 1."""
    ctrl_cost_weight: float
    """Cost per unit of squared torque; a number; the default is 0.001."""
    healthy_reward: float
    """Reward for a step in a healthy state; a number; the default is 1."""
    terminate_when_unhealthy: bool
    """Terminate the episode in an unhealthy state; the default is True."""
    legacy_healthy_reward: bool
    """Also give healthy_reward for the step in which the robot becomes unhealthy; the default depends on the id."""
    healthy_z_min: float
    """Lower bound of the torso's height in a healthy state; a number; the default is 0.7."""
    healthy_z_max: float
    """Upper bound of the torso's height in a healthy state; a number; the default is inf."""
    healthy_state_min: float
    """Lower bound of the other elements of the state in a healthy state; a number; the default is -100."""
    healthy_state_max: float
    """Upper bound of the other elements of the state in a healthy state; a number; the default is 100."""
    healthy_angle_min: float
    """Lower bound of the torso's angle in a healthy state; a number; the default is -0.2."""
    healthy_angle_max: float
    """Upper bound of the torso's angle in a healthy state; a number; the default is 0.2."""
    velocity_min: float
    """Lower bound of observed velocities; a number; the default is -10."""
    velocity_max: float
    """Upper bound of observed velocities; a number; the default is 10."""
    reset_noise_scale: float
    """Scale of the noise at a reset; a number from 0 to 1000000; the default is 0.005."""
    exclude_current_positions_from_observation: bool
    """Leave the root's x out of the observation; the default is True."""
    backend: str | bytes
    """What simulates the robot: 'envpool' is our solver, 'mujoco' is MuJoCo's library; the default is 'envpool'."""
    xml_file: str | bytes
    """Model: name of one of gymnasium's files, a path, or XML; another one than the id's needs the library; the default
    is 'hopper.xml'."""
    frame_stack: int
    """Number of stacked observations, the oldest first; more than 1 needs the library; an int; the default is 1."""
    from_pixels: bool
    """Observe pixels; needs the library; the default is False."""
    post_constraint: bool
    """Compute contact forces after a step, which this robot does not use; the default depends on the id."""
    render_width: int
    """Width of an image; 0 means 480; an int; the default is 0."""
    render_height: int
    """Height of an image; 0 means 480; an int; the default is 0."""
    render_camera_id: int
    """Number of a camera of the model; -1 is the free camera; an int; the default is -1."""
    camera_name: str | bytes
    """Name of a camera of the model; the default is ''."""
    default_camera_config: str | bytes
    """Settings of the free camera, such as 'distance=3 lookat=0,0,1'; the default is ''."""
    max_geom: int
    """Maximum number of geoms in an image; an int; the default is 1000."""
    shadow_size: int
    """Side of the shadow map; 0: no shadows, -1: the model's; an int; the default is -1."""
    antialias: int
    """Samples per pixel; 0: one, -1: the model's; an int; the default is -1."""
    gymnasium_v5_render_camera: bool
    """Use gymnasium's free camera; otherwise the model's camera 'track'; the default is True."""

HumanoidId = Literal[
    "Humanoid-v3", "Humanoid-v4", "Humanoid-v5",
]

class HumanoidOptions(CommonOptions, total=False):
    """The options of HumanoidId."""

    frame_skip: int
    """Simulation steps for each action; an int from 1 to 10000; the default is 5."""
    info_version: int
    """Version of the environment whose infos are returned; an int from 2 to 5; the default depends on the id."""
    forward_reward_weight: float
    """Reward per unit of velocity; a number; the default is 1.25."""
    ctrl_cost_weight: float
    """Cost per unit of squared torque; a number; the default is 0.1."""
    use_contact_force: bool
    """Contact forces have a cost; the default depends on the id."""
    post_constraint: bool
    """Compute contact forces after a step; otherwise they are zeros; the default depends on the id."""
    contact_cost_weight: float
    """Cost per unit of squared contact force; a number; the default is 5e-07."""
    contact_cost_min: float
    """Lower bound of the contact cost; a number; the default is -inf."""
    contact_cost_max: float
    """Upper bound of the contact cost; a number; the default is 10."""
    healthy_reward: float
    """Reward for a step in a healthy state; a number; the default is 5."""
    terminate_when_unhealthy: bool
    """Terminate the episode in an unhealthy state; the default is True."""
    legacy_healthy_reward: bool
    """Also give healthy_reward for the step in which the robot becomes unhealthy; the default depends on the id."""
    healthy_z_min: float
    """Lower bound of the torso's height in a healthy state; a number; the default is 1."""
    healthy_z_max: float
    """Upper bound of the torso's height in a healthy state; a number; the default is 2."""
    reset_noise_scale: float
    """Scale of the noise at a reset; a number from 0 to 1000000; the default is 0.01."""
    exclude_current_positions_from_observation: bool
    """Leave the torso's x and y out of the observation; the default is True."""
    exclude_worldbody_observations: bool
    """Leave the world body out of the observation; the default depends on the id."""
    exclude_root_actuator_forces: bool
    """Leave actuator forces on the root out of the observation; the default depends on the id."""
    include_cinert_in_observation: bool
    """Observe inertias; the default is True."""
    include_cvel_in_observation: bool
    """Observe velocities about the centre of mass; the default is True."""
    include_qfrc_actuator_in_observation: bool
    """Observe actuator forces; the default is True."""
    include_cfrc_ext_in_observation: bool
    """Observe contact forces; the default is True."""
    backend: str | bytes
    """What simulates the robot: 'envpool' is our solver, 'mujoco' is MuJoCo's library; the default is 'envpool'."""
    xml_file: str | bytes
    """Model: name of one of gymnasium's files, a path, or XML; another one than the id's needs the library; the default
    is 'humanoid.xml'."""
    frame_stack: int
    """Number of stacked observations, the oldest first; more than 1 needs the library; an int; the default is 1."""
    from_pixels: bool
    """Observe pixels; needs the library; the default is False."""
    render_width: int
    """Width of an image; 0 means 480; an int; the default is 0."""
    render_height: int
    """Height of an image; 0 means 480; an int; the default is 0."""
    render_camera_id: int
    """Number of a camera of the model; -1 is the free camera; an int; the default is -1."""
    camera_name: str | bytes
    """Name of a camera of the model; the default is ''."""
    default_camera_config: str | bytes
    """Settings of the free camera, such as 'distance=3 lookat=0,0,1'; the default is ''."""
    max_geom: int
    """Maximum number of geoms in an image; an int; the default is 1000."""
    shadow_size: int
    """Side of the shadow map; 0: no shadows, -1: the model's; an int; the default is -1."""
    antialias: int
    """Samples per pixel; 0: one, -1: the model's; an int; the default is -1."""
    gymnasium_v5_render_camera: bool
    """Use gymnasium's free camera; otherwise the model's camera 'track'; the default is True."""

HumanoidStandupId = Literal[
    "HumanoidStandup-v2", "HumanoidStandup-v4", "HumanoidStandup-v5",
]

class HumanoidStandupOptions(CommonOptions, total=False):
    """The options of HumanoidStandupId."""

    frame_skip: int
    """Simulation steps for each action; an int from 1 to 10000; the default is 5."""
    info_version: int
    """Version of the environment whose infos are returned; an int from 2 to 5; the default depends on the id."""
    forward_reward_weight: float
    """Reward per unit of height / timestep; a number; the default is 1."""
    ctrl_cost_weight: float
    """Cost per unit of squared torque; a number; the default is 0.1."""
    contact_cost_weight: float
    """Cost per unit of squared contact force; a number; the default is 5e-07."""
    post_constraint: bool
    """Compute contact forces after a step; otherwise they are zeros; the default depends on the id."""
    contact_cost_min: float
    """Lower bound of the contact cost; a number; the default is -inf."""
    contact_cost_max: float
    """Upper bound of the contact cost; a number; the default is 10."""
    healthy_reward: float
    """Reward for each step; a number; the default is 1."""
    reset_noise_scale: float
    """Scale of the noise at a reset; a number from 0 to 1000000; the default is 0.01."""
    exclude_current_positions_from_observation: bool
    """Leave the torso's x and y out of the observation; the default is True."""
    exclude_worldbody_observations: bool
    """Leave the world body out of the observation; the default depends on the id."""
    exclude_root_actuator_forces: bool
    """Leave actuator forces on the root out of the observation; the default depends on the id."""
    include_cinert_in_observation: bool
    """Observe inertias; the default is True."""
    include_cvel_in_observation: bool
    """Observe velocities about the centre of mass; the default is True."""
    include_qfrc_actuator_in_observation: bool
    """Observe actuator forces; the default is True."""
    include_cfrc_ext_in_observation: bool
    """Observe contact forces; the default is True."""
    backend: str | bytes
    """What simulates the robot: 'envpool' is our solver, 'mujoco' is MuJoCo's library; the default is 'envpool'."""
    xml_file: str | bytes
    """Model: name of one of gymnasium's files, a path, or XML; another one than the id's needs the library; the default
    is 'humanoidstandup.xml'."""
    frame_stack: int
    """Number of stacked observations, the oldest first; more than 1 needs the library; an int; the default is 1."""
    from_pixels: bool
    """Observe pixels; needs the library; the default is False."""
    render_width: int
    """Width of an image; 0 means 480; an int; the default is 0."""
    render_height: int
    """Height of an image; 0 means 480; an int; the default is 0."""
    render_camera_id: int
    """Number of a camera of the model; -1 is the free camera; an int; the default is -1."""
    camera_name: str | bytes
    """Name of a camera of the model; the default is ''."""
    default_camera_config: str | bytes
    """Settings of the free camera, such as 'distance=3 lookat=0,0,1'; the default is ''."""
    max_geom: int
    """Maximum number of geoms in an image; an int; the default is 1000."""
    shadow_size: int
    """Side of the shadow map; 0: no shadows, -1: the model's; an int; the default is -1."""
    antialias: int
    """Samples per pixel; 0: one, -1: the model's; an int; the default is -1."""
    gymnasium_v5_render_camera: bool
    """Use gymnasium's free camera; otherwise the model's camera 'track'; the default is True."""

InvertedDoublePendulumId = Literal[
    "InvertedDoublePendulum-v2", "InvertedDoublePendulum-v4", "InvertedDoublePendulum-v5",
]

class InvertedDoublePendulumOptions(CommonOptions, total=False):
    """The options of InvertedDoublePendulumId."""

    frame_skip: int
    """Simulation steps for each action; an int from 1 to 10000; the default is 5."""
    info_version: int
    """Version of the environment whose infos are returned; an int from 2 to 5; the default depends on the id."""
    healthy_reward: float
    """Reward for a step, before penalties; a number; the default is 10."""
    reward_if_not_terminated: bool
    """Give no healthy_reward for the step that ends the episode; the default depends on the id."""
    constraint_obs_dim: int
    """Number of observed constraint forces; an int from 0 to 3; the default depends on the id."""
    healthy_z_max: float
    """Height of the tip at which the episode ends; a number; the default is 1."""
    observation_min: float
    """Lower bound of observed velocities and forces; a number; the default is -10."""
    observation_max: float
    """Upper bound of observed velocities and forces; a number; the default is 10."""
    reset_noise_scale: float
    """Scale of the noise at a reset; a number from 0 to 1000000; the default is 0.1."""
    backend: str | bytes
    """What simulates the robot: 'envpool' is our solver, 'mujoco' is MuJoCo's library; the default is 'envpool'."""
    xml_file: str | bytes
    """Model: name of one of gymnasium's files, a path, or XML; another one than the id's needs the library; the default
    is 'inverted_double_pendulum.xml'."""
    frame_stack: int
    """Number of stacked observations, the oldest first; more than 1 needs the library; an int; the default is 1."""
    from_pixels: bool
    """Observe pixels; needs the library; the default is False."""
    post_constraint: bool
    """Compute contact forces after a step, which this robot does not use; the default depends on the id."""
    render_width: int
    """Width of an image; 0 means 480; an int; the default is 0."""
    render_height: int
    """Height of an image; 0 means 480; an int; the default is 0."""
    render_camera_id: int
    """Number of a camera of the model; -1 is the free camera; an int; the default is -1."""
    camera_name: str | bytes
    """Name of a camera of the model; the default is ''."""
    default_camera_config: str | bytes
    """Settings of the free camera, such as 'distance=3 lookat=0,0,1'; the default depends on the id."""
    max_geom: int
    """Maximum number of geoms in an image; an int; the default is 1000."""
    shadow_size: int
    """Side of the shadow map; 0: no shadows, -1: the model's; an int; the default is -1."""
    antialias: int
    """Samples per pixel; 0: one, -1: the model's; an int; the default is -1."""
    gymnasium_v5_render_camera: bool
    """Use gymnasium's free camera; otherwise the model's camera 'track'; the default is True."""

InvertedPendulumId = Literal[
    "InvertedPendulum-v2", "InvertedPendulum-v4", "InvertedPendulum-v5",
]

class InvertedPendulumOptions(CommonOptions, total=False):
    """The options of InvertedPendulumId."""

    frame_skip: int
    """Simulation steps for each action; an int from 1 to 10000; the default is 2."""
    info_version: int
    """Version of the environment whose infos are returned; an int from 2 to 5; the default depends on the id."""
    healthy_reward: float
    """Reward for a step; a number; the default is 1."""
    reward_if_not_terminated: bool
    """Give no reward for the step that ends the episode; the default depends on the id."""
    healthy_z_min: float
    """Lower bound of the pole's angle; a number; the default is -0.2."""
    healthy_z_max: float
    """Upper bound of the pole's angle; a number; the default is 0.2."""
    reset_noise_scale: float
    """Scale of the noise at a reset; a number from 0 to 1000000; the default is 0.01."""
    backend: str | bytes
    """What simulates the robot: 'envpool' is our solver, 'mujoco' is MuJoCo's library; the default is 'envpool'."""
    xml_file: str | bytes
    """Model: name of one of gymnasium's files, a path, or XML; another one than the id's needs the library; the default
    is 'inverted_pendulum.xml'."""
    frame_stack: int
    """Number of stacked observations, the oldest first; more than 1 needs the library; an int; the default is 1."""
    from_pixels: bool
    """Observe pixels; needs the library; the default is False."""
    post_constraint: bool
    """Compute contact forces after a step, which this robot does not use; the default depends on the id."""
    render_width: int
    """Width of an image; 0 means 480; an int; the default is 0."""
    render_height: int
    """Height of an image; 0 means 480; an int; the default is 0."""
    render_camera_id: int
    """Number of a camera of the model; -1 is the free camera; an int; the default is -1."""
    camera_name: str | bytes
    """Name of a camera of the model; the default is ''."""
    default_camera_config: str | bytes
    """Settings of the free camera, such as 'distance=3 lookat=0,0,1'; the default is ''."""
    max_geom: int
    """Maximum number of geoms in an image; an int; the default is 1000."""
    shadow_size: int
    """Side of the shadow map; 0: no shadows, -1: the model's; an int; the default is -1."""
    antialias: int
    """Samples per pixel; 0: one, -1: the model's; an int; the default is -1."""
    gymnasium_v5_render_camera: bool
    """Use gymnasium's free camera; otherwise the model's camera 'track'; the default is True."""

RobotsReacherId = Literal[
    "Reacher-v2", "Reacher-v4", "Reacher-v5",
]

class RobotsReacherOptions(CommonOptions, total=False):
    """The options of RobotsReacherId."""

    frame_skip: int
    """Simulation steps for each action; an int from 1 to 10000; the default is 2."""
    info_version: int
    """Version of the environment whose infos are returned; an int from 2 to 5; the default depends on the id."""
    dist_cost_weight: float
    """Cost per unit of distance; a number; the default is 1."""
    ctrl_cost_weight: float
    """Cost per unit of squared torque; a number; the default is 1."""
    reward_after_step: bool
    """Use the distance after a step, not before it; the default depends on the id."""
    obs_include_z_distance: bool
    """Observe the height of the tip above the target; the default depends on the id."""
    reset_qpos_scale: float
    """Scale of the noise on positions at a reset; a number from 0 to 1000000; the default is 0.1."""
    reset_qvel_scale: float
    """Scale of the noise on velocities at a reset; a number from 0 to 1000000; the default is 0.005."""
    reset_goal_scale: float
    """Radius of the disc from which the target is drawn; a number from 0 to 1000000; the default is 0.2."""
    backend: str | bytes
    """What simulates the robot: 'envpool' is our solver, 'mujoco' is MuJoCo's library; the default is 'envpool'."""
    xml_file: str | bytes
    """Model: name of one of gymnasium's files, a path, or XML; another one than the id's needs the library; the default
    is 'reacher.xml'."""
    frame_stack: int
    """Number of stacked observations, the oldest first; more than 1 needs the library; an int; the default is 1."""
    from_pixels: bool
    """Observe pixels; needs the library; the default is False."""
    post_constraint: bool
    """Compute contact forces after a step, which this robot does not use; the default depends on the id."""
    render_width: int
    """Width of an image; 0 means 480; an int; the default is 0."""
    render_height: int
    """Height of an image; 0 means 480; an int; the default is 0."""
    render_camera_id: int
    """Number of a camera of the model; -1 is the free camera; an int; the default is -1."""
    camera_name: str | bytes
    """Name of a camera of the model; the default is ''."""
    default_camera_config: str | bytes
    """Settings of the free camera, such as 'distance=3 lookat=0,0,1'; the default is ''."""
    max_geom: int
    """Maximum number of geoms in an image; an int; the default is 1000."""
    shadow_size: int
    """Side of the shadow map; 0: no shadows, -1: the model's; an int; the default is -1."""
    antialias: int
    """Samples per pixel; 0: one, -1: the model's; an int; the default is -1."""
    gymnasium_v5_render_camera: bool
    """Use gymnasium's free camera; otherwise the model's camera 'track'; the default is True."""

RobotsSwimmerId = Literal[
    "Swimmer-v3", "Swimmer-v4", "Swimmer-v5",
]

class RobotsSwimmerOptions(CommonOptions, total=False):
    """The options of RobotsSwimmerId."""

    frame_skip: int
    """Simulation steps for each action; an int from 1 to 10000; the default is 4."""
    info_version: int
    """Version of the environment whose infos are returned; an int from 2 to 5; the default depends on the id."""
    forward_reward_weight: float
    """Reward per unit of velocity; a number; the default is 1."""
    ctrl_cost_weight: float
    """Cost per unit of squared torque; a number; the default is 0.0001."""
    reset_noise_scale: float
    """Scale of the noise at a reset; a number from 0 to 1000000; the default is 0.1."""
    exclude_current_positions_from_observation: bool
    """Leave the first link's x and y out of the observation; the default is True."""
    backend: str | bytes
    """What simulates the robot: 'envpool' is our solver, 'mujoco' is MuJoCo's library; the default is 'envpool'."""
    xml_file: str | bytes
    """Model: name of one of gymnasium's files, a path, or XML; another one than the id's needs the library; the default
    is 'swimmer.xml'."""
    frame_stack: int
    """Number of stacked observations, the oldest first; more than 1 needs the library; an int; the default is 1."""
    from_pixels: bool
    """Observe pixels; needs the library; the default is False."""
    post_constraint: bool
    """Compute contact forces after a step, which this robot does not use; the default depends on the id."""
    render_width: int
    """Width of an image; 0 means 480; an int; the default is 0."""
    render_height: int
    """Height of an image; 0 means 480; an int; the default is 0."""
    render_camera_id: int
    """Number of a camera of the model; -1 is the free camera; an int; the default is -1."""
    camera_name: str | bytes
    """Name of a camera of the model; the default is ''."""
    default_camera_config: str | bytes
    """Settings of the free camera, such as 'distance=3 lookat=0,0,1'; the default is ''."""
    max_geom: int
    """Maximum number of geoms in an image; an int; the default is 1000."""
    shadow_size: int
    """Side of the shadow map; 0: no shadows, -1: the model's; an int; the default is -1."""
    antialias: int
    """Samples per pixel; 0: one, -1: the model's; an int; the default is -1."""
    gymnasium_v5_render_camera: bool
    """Use gymnasium's free camera; otherwise the model's camera 'track'; the default is True."""

Walker2dOldId = Literal[
    "Walker2d-v3", "Walker2d-v4",
]

class Walker2dOldOptions(CommonOptions, total=False):
    """The options of Walker2dOldId."""

    frame_skip: int
    """Simulation steps for each action; an int from 1 to 10000; the default is 4."""
    info_version: int
    """Version of the environment whose infos are returned; an int from 2 to 5; the default depends on the id."""
    forward_reward_weight: float
    """Reward per unit of velocity; a number; the default is 1."""
    ctrl_cost_weight: float
    """Cost per unit of squared torque; a number; the default is 0.001."""
    healthy_reward: float
    """Reward for a step in a healthy state; a number; the default is 1."""
    terminate_when_unhealthy: bool
    """Terminate the episode in an unhealthy state; the default is True."""
    legacy_healthy_reward: bool
    """Also give healthy_reward for the step in which the robot becomes unhealthy; the default is True."""
    healthy_z_min: float
    """Lower bound of the torso's height in a healthy state; a number; the default is 0.8."""
    healthy_z_max: float
    """Upper bound of the torso's height in a healthy state; a number; the default is 2."""
    healthy_angle_min: float
    """Lower bound of the torso's angle in a healthy state; a number; the default is -1."""
    healthy_angle_max: float
    """Upper bound of the torso's angle in a healthy state; a number; the default is 1."""
    velocity_min: float
    """Lower bound of observed velocities; a number; the default is -10."""
    velocity_max: float
    """Upper bound of observed velocities; a number; the default is 10."""
    reset_noise_scale: float
    """Scale of the noise at a reset; a number from 0 to 1000000; the default is 0.005."""
    exclude_current_positions_from_observation: bool
    """Leave the root's x out of the observation; the default is True."""
    backend: str | bytes
    """What simulates the robot: 'envpool' is our solver, 'mujoco' is MuJoCo's library; the default is 'envpool'."""
    xml_file: str | bytes
    """Model: name of one of gymnasium's files, a path, or XML; another one than the id's needs the library; the default
    is 'walker2d.xml'."""
    frame_stack: int
    """Number of stacked observations, the oldest first; more than 1 needs the library; an int; the default is 1."""
    from_pixels: bool
    """Observe pixels; needs the library; the default is False."""
    post_constraint: bool
    """Compute contact forces after a step, which this robot does not use; the default depends on the id."""
    render_width: int
    """Width of an image; 0 means 480; an int; the default is 0."""
    render_height: int
    """Height of an image; 0 means 480; an int; the default is 0."""
    render_camera_id: int
    """Number of a camera of the model; -1 is the free camera; an int; the default is -1."""
    camera_name: str | bytes
    """Name of a camera of the model; the default is ''."""
    default_camera_config: str | bytes
    """Settings of the free camera, such as 'distance=3 lookat=0,0,1'; the default is ''."""
    max_geom: int
    """Maximum number of geoms in an image; an int; the default is 1000."""
    shadow_size: int
    """Side of the shadow map; 0: no shadows, -1: the model's; an int; the default is -1."""
    antialias: int
    """Samples per pixel; 0: one, -1: the model's; an int; the default is -1."""
    gymnasium_v5_render_camera: bool
    """Use gymnasium's free camera; otherwise the model's camera 'track'; the default is True."""

Walker2dId = Literal[
    "Walker2d-v5",
]

class Walker2dOptions(CommonOptions, total=False):
    """The options of Walker2d-v5."""

    frame_skip: int
    """Simulation steps for each action; an int from 1 to 10000; the default is 4."""
    info_version: int
    """Version of the environment whose infos are returned; an int from 2 to 5; the default is 5."""
    forward_reward_weight: float
    """Reward per unit of velocity; a number; the default is 1."""
    ctrl_cost_weight: float
    """Cost per unit of squared torque; a number; the default is 0.001."""
    healthy_reward: float
    """Reward for a step in a healthy state; a number; the default is 1."""
    terminate_when_unhealthy: bool
    """Terminate the episode in an unhealthy state; the default is True."""
    legacy_healthy_reward: bool
    """Also give healthy_reward for the step in which the robot becomes unhealthy; the default is False."""
    healthy_z_min: float
    """Lower bound of the torso's height in a healthy state; a number; the default is 0.8."""
    healthy_z_max: float
    """Upper bound of the torso's height in a healthy state; a number; the default is 2."""
    healthy_angle_min: float
    """Lower bound of the torso's angle in a healthy state; a number; the default is -1."""
    healthy_angle_max: float
    """Upper bound of the torso's angle in a healthy state; a number; the default is 1."""
    velocity_min: float
    """Lower bound of observed velocities; a number; the default is -10."""
    velocity_max: float
    """Upper bound of observed velocities; a number; the default is 10."""
    reset_noise_scale: float
    """Scale of the noise at a reset; a number from 0 to 1000000; the default is 0.005."""
    exclude_current_positions_from_observation: bool
    """Leave the root's x out of the observation; the default is True."""
    backend: str | bytes
    """What simulates the robot: 'envpool' is our solver, 'mujoco' is MuJoCo's library; the default is 'envpool'."""
    xml_file: str | bytes
    """Model: name of one of gymnasium's files, a path, or XML; another one than the id's needs the library; the default
    is 'walker2d_v5.xml'."""
    frame_stack: int
    """Number of stacked observations, the oldest first; more than 1 needs the library; an int; the default is 1."""
    from_pixels: bool
    """Observe pixels; needs the library; the default is False."""
    post_constraint: bool
    """Compute contact forces after a step, which this robot does not use; the default is True."""
    render_width: int
    """Width of an image; 0 means 480; an int; the default is 0."""
    render_height: int
    """Height of an image; 0 means 480; an int; the default is 0."""
    render_camera_id: int
    """Number of a camera of the model; -1 is the free camera; an int; the default is -1."""
    camera_name: str | bytes
    """Name of a camera of the model; the default is ''."""
    default_camera_config: str | bytes
    """Settings of the free camera, such as 'distance=3 lookat=0,0,1'; the default is ''."""
    max_geom: int
    """Maximum number of geoms in an image; an int; the default is 1000."""
    shadow_size: int
    """Side of the shadow map; 0: no shadows, -1: the model's; an int; the default is -1."""
    antialias: int
    """Samples per pixel; 0: one, -1: the model's; an int; the default is -1."""
    gymnasium_v5_render_camera: bool
    """Use gymnasium's free camera; otherwise the model's camera 'track'; the default is True."""

TagContinuousId = Literal[
    "TagContinuous-v0", "WarpDrive/TagContinuous-v0", "WarpDrive/TagContinuous-1000-v0",
    "WarpDrive/TagContinuous-5v100-v0", "WarpDrive/TagContinuous-5v20-v0",
]

class TagContinuousOptions(CommonOptions, total=False):
    """The options of TagContinuousId."""

    num_taggers: int
    """number of players that chase; an int from 1 to 1023; the default depends on the id."""
    num_runners: int
    """number of players that are chased; an int from 1 to 1023; the default depends on the id."""
    grid_length: float
    """length of the square's side; a number from 0.001 to 1000000; the default depends on the id."""
    episode_length: int
    """steps after which an episode ends; an int from 1 to 1000000000; the default depends on the id."""
    max_speed: float
    """maximum speed, length per step, of a player of skill level 1; a number from 0 to 1000000; the default is 1."""
    skill_level_runner: float
    """maximum speed of a runner, divided by max_speed; a number from 0 to 1000000; the default is 1."""
    skill_level_tagger: float
    """maximum speed of a tagger, divided by max_speed; a number from 0 to 1000000; the default is 1."""
    max_acceleration: float
    """change of acceleration of the last level; a number from -1000000 to 1000000; the default depends on the id."""
    min_acceleration: float
    """change of acceleration of level 1; a number from -1000000 to 1000000; the default depends on the id."""
    max_turn: float
    """turn of the last level, in radians; a number from -1000000 to 1000000; the default depends on the id."""
    min_turn: float
    """turn of level 1, in radians; a number from -1000000 to 1000000; the default depends on the id."""
    num_acceleration_levels: int
    """number of levels other than 0; an int from 0 to 1000000; the default depends on the id."""
    num_turn_levels: int
    """number of levels other than 0; an int from 0 to 1000000; the default depends on the id."""
    edge_hit_penalty: float
    """reward for hitting the border; a number from -1000000 to 0; the default is 0."""
    use_full_observation: bool
    """observe all other players instead of the nearest ones; the default depends on the id."""
    num_other_agents_observed: int
    """number of nearest players observed without use_full_observation; an int from 0 to 1024; the default depends on
    the id."""
    tagging_distance: float
    """distance at which a tagger tags a runner, divided by grid_length; a number from 0 to 1; the default depends on
    the id."""
    tag_reward_for_tagger: float
    """reward for each tagged runner; a number from 0 to 1000000; the default depends on the id."""
    step_penalty_for_tagger: float
    """reward of a tagger for each step; a number from -1000000 to 0; the default is 0."""
    tag_penalty_for_runner: float
    """reward for being tagged; a number from -1000000 to 0; the default depends on the id."""
    step_reward_for_runner: float
    """reward of a runner for each step in the game; a number from 0 to 1000000; the default is 0."""
    end_of_game_reward_for_runner: float
    """reward for being in the game after episode_length steps; a number from 0 to 1000000; the default is 1."""
    runner_exits_game_after_tagged: bool
    """a tagged runner leaves the game; otherwise it can be tagged again; the default is True."""
    shuffle_roles: bool
    """draw the taggers at each reset; otherwise they are the first players; the default is True."""

TagGridWorldId = Literal[
    "TagGridWorld-v0", "WarpDrive/TagGridWorld-v0", "WarpDrive/TagGridWorldWithResetPool-v0",
]

class TagGridWorldOptions(CommonOptions, total=False):
    """The options of TagGridWorldId."""

    num_taggers: int
    """number of players that chase the runner; an int from 1 to 1023; the default depends on the id."""
    grid_length: int
    """largest x and y; an int from 2 to 32767; the default depends on the id."""
    episode_length: int
    """steps after which an episode ends; an int from 1 to 1000000000; the default is 100."""
    wall_hit_penalty: float
    """subtracted from the reward for a step over the border; a number; the default is 0.1."""
    tag_reward_for_tagger: float
    """reward of every tagger when the runner is tagged; a number; the default is 10."""
    tag_penalty_for_runner: float
    """subtracted from the runner's reward when it is tagged; a number; the default depends on the id."""
    step_cost_for_tagger: float
    """subtracted from a tagger's reward in any other step, and added to the runner's; a number; the default is 0.01."""
    use_full_observation: bool
    """observe all players instead of the runner or the nearest tagger; the default is True."""
    random_start: bool
    """taggers start in random cells instead of the middle; the default depends on the id."""

ToyTextCatchId = Literal[
    "Catch-v0",
]

class ToyTextCatchOptions(CommonOptions, total=False):
    """The options of Catch-v0."""

    height: int
    """rows of the board; an int from 2 to 1024; the default is 10."""
    width: int
    """columns of the board; an int from 1 to 1024; the default is 5."""

FrozenLakeId = Literal[
    "FrozenLake-v1", "FrozenLake8x8-v1", "FrozenLake-misc",
]

class FrozenLakeOptions(CommonOptions, total=False):
    """The options of FrozenLakeId."""

    size: int
    """side of gymnasium's map, 4 or 8; not used if desc gives a map; an int; the default depends on the id."""
    desc: str | bytes
    """a custom map: lines of S (start), F (ice), H (hole) and G (goal); the default is ''."""
    is_slippery: bool
    """a move may go in either direction perpendicular to the chosen one; the default is True."""
    success_rate: float
    """probability of the chosen direction if is_slippery; a number from 0 to 1; the default is 0.333333."""
    goal_reward: float
    """reward for reaching the goal; a number; the default is 1."""
    hole_reward: float
    """reward for falling into a hole; a number; the default is 0."""
    frozen_reward: float
    """reward for any other step; a number; the default is 0."""
    prob_name: Literal["prob", "p"]
    """name of the info that holds the probability: prob in gymnasium, p in gymnax; the default depends on the id."""

TaxiId = Literal[
    "Taxi-v3", "Taxi-v4",
]

class TaxiOptions(CommonOptions, total=False):
    """The options of TaxiId."""

    is_rainy: bool
    """a move may go in either direction perpendicular to the chosen one; the default is False."""
    fickle_passenger: bool
    """the passenger may change the destination once; the default is False."""
    rainy_probability: float
    """probability of the chosen direction if is_rainy; a number from 0 to 1; the default is 0.8."""
    fickle_probability: float
    """probability that the passenger of an episode is fickle if fickle_passenger; a number from 0 to 1; the default is
    0.3."""

NChainId = Literal[
    "NChain-v0",
]

class NChainOptions(CommonOptions, total=False):
    """The options of NChain-v0."""

    n: int
    """states of the chain; an int from 1 to 1073741824; the default is 5."""
    slip: float
    """probability that the other action happens; a number from 0 to 1; the default is 0.2."""
    small: float
    """reward for returning to the start; a number; the default is 2."""
    large: float
    """reward for moving forward in the last state; a number; the default is 10."""

CliffWalkingId = Literal[
    "CliffWalking-v0", "CliffWalking-v1", "tabular/CliffWalking-v0", "CliffWalkingSlippery-v1",
]

class CliffWalkingOptions(CommonOptions, total=False):
    """The options of CliffWalkingId."""

    is_slippery: bool
    """a move goes in the chosen direction or in either perpendicular one, with probability 1/3 each; the default
    depends on the id."""

BlackjackId = Literal[
    "Blackjack-v1", "tabular/Blackjack-v0",
]

class BlackjackOptions(CommonOptions, total=False):
    """The options of BlackjackId."""

    natural: bool
    """a win with a natural is worth 1.5; sab overrides this; the default is False."""
    sab: bool
    """a natural wins against every hand except another natural, as in Sutton and Barto; the default is True."""

VizdoomId = Literal[
    "Basic-v1", "BasicAudio-v1", "BasicNotifications-v1", "Cig-v1", "DeadlyCorridor-v1", "Deathmatch-v1",
    "DefendTheCenter-v1", "DefendTheLine-v1", "HealthGathering-v1", "HealthGatheringSupreme-v1", "MultiDuel-v1",
    "MyWayHome-v1", "PredictPosition-v1", "RocketBasic-v1", "SimplerBasic-v1", "TakeCover-v1", "D1Basic-v1",
    "D2Navigation-v1", "D3Battle-v1", "D4Battle2-v1", "VizdoomCustom-v1",
]

class VizdoomOptions(CommonOptions, total=False):
    """The options of VizdoomId."""

    cfg_path: str | bytes
    """File of ViZDoom's settings; a relative path may name a file of the package; the default depends on the id."""
    wad_path: str | bytes
    """The scenario's WAD file instead of the one that the settings name; the default depends on the id."""
    vzd_path: str | bytes
    """The engine; by default the one of the package; the default is ''."""
    iwad_path: str | bytes
    """The game's WAD file; by default the package's freedoom2.wad; the default is ''."""
    game_args: str | bytes
    """More arguments for the engine, separated by spaces; the default depends on the id."""
    screen_format: Literal["settings", "GRAY8", "RGB"]
    """A gray or coloured screen, or the format in the settings; the default is 'settings'."""
    screen_resolution: str | bytes
    """For example RES_320X240, instead of the resolution in the settings; the default is ''."""
    engine_timeout: int
    """Seconds that an engine may take to start, or to answer; an int from 1 to 3600; the default is 60."""
    map_id: str | bytes
    """The map, such as map01, instead of the one in the settings; the default is ''."""
    img_height: int
    """Height of the observed image in pixels; an int from 1 to 4096; the default is 84."""
    img_width: int
    """Width of the observed image in pixels; an int from 1 to 4096; the default is 84."""
    stack_num: int
    """Number of images in an observation, the newest last; an int from 1 to 64; the default is 4."""
    frame_skip: int
    """Tics per step; a second of the game has 35; an int from 1 to 1000; the default is 4."""
    lmp_save_dir: str | bytes
    """Existing folder in which every episode is recorded as env_I_N.lmp; the default is ''."""
    episodic_life: bool
    """No effect: a player has one life, so its death ends the episode in any case; the default is False."""
    use_combined_action: bool
    """An action is the number of a combination of buttons; the default is False."""
    force_speed: bool
    """With combined actions, the button SPEED is always held; the default is False."""
    delta_button_config: str | bytes
    """Values of delta buttons in combined actions: {name: (count, low, high)}; the default is ''."""
    use_inter_area_resize: bool
    """Resize with OpenCV's INTER_AREA instead of INTER_LINEAR; the default is True."""
    reward_config: str | bytes
    """Rewards {variable: (gain, loss)} per unit by which an available game variable grows or shrinks; the default is
    'FRAGCOUNT:1:-1.5,KILLCOUNT:1:0,DEATHCOUNT:-0.75:0.75,HITCOUNT:0.01:-0.01,DAMAGECOUNT:0.003:-0.003,HEALTH:0.005:-0.003,ARMOR:0.005:-0.001,WEAPON0:0.02:-0.01,AMMO0:0.0002:-0.0001,WEAPON1:0.02:-0.01,AMMO1:0.0002:-0.0001,WEAPON2:0.02:-0.01,AMMO2:0.0002:-0.0001,WEAPON3:0.1:-0.05,AMMO3:0.001:-0.0005,WEAPON4:0.1:-0.05,AMMO4:0.001:-0.0005,WEAPON5:0.1:-0.05,AMMO5:0.001:-0.0005,WEAPON6:0.2:-0.1,AMMO6:0.002:-0.001,WEAPON7:0.2:-0.1,AMMO7:0.002:-0.001'."""
    selected_weapon_reward_config: str | bytes
    """Rewards {weapon: reward} for each step with a weapon that has ammunition; the default is
    '0:0.0002,1:0.0002,2:0.0002,3:0.001,4:0.001,5:0.001,6:0.002,7:0.002'."""
    weapon_duration: int
    """Steps for which a weapon must be held before it is rewarded; an int from 0 to 1073741824; the default is 5."""

VizdoomGymId = Literal[
    "VizdoomBasic-v1", "VizdoomBasic-MultiBinary-v1", "VizdoomDeadlyCorridor-v1",
    "VizdoomDeadlyCorridor-MultiBinary-v1", "VizdoomDefendCenter-v1", "VizdoomDefendCenter-MultiBinary-v1",
    "VizdoomDefendLine-v1", "VizdoomDefendLine-MultiBinary-v1", "VizdoomHealthGathering-v1",
    "VizdoomHealthGathering-MultiBinary-v1", "VizdoomMyWayHome-v1", "VizdoomMyWayHome-MultiBinary-v1",
    "VizdoomPredictPosition-v1", "VizdoomPredictPosition-MultiBinary-v1", "VizdoomTakeCover-v1",
    "VizdoomTakeCover-MultiBinary-v1", "VizdoomDeathmatch-v1", "VizdoomDeathmatch-MultiBinary-v1",
    "VizdoomHealthGatheringSupreme-v1", "VizdoomHealthGatheringSupreme-MultiBinary-v1",
]

class VizdoomGymOptions(CommonOptions, total=False):
    """The options of VizdoomGymId."""

    cfg_path: str | bytes
    """File of ViZDoom's settings; a relative path may name a file of the package; the default depends on the id."""
    wad_path: str | bytes
    """The scenario's WAD file instead of the one that the settings name; the default is ''."""
    vzd_path: str | bytes
    """The engine; by default the one of the package; the default is ''."""
    iwad_path: str | bytes
    """The game's WAD file; by default the package's freedoom2.wad; the default is ''."""
    game_args: str | bytes
    """More arguments for the engine, separated by spaces; the default is ''."""
    screen_format: Literal["settings", "GRAY8", "RGB"]
    """A gray or coloured screen, or the format in the settings; the default is 'settings'."""
    screen_resolution: str | bytes
    """For example RES_320X240, instead of the resolution in the settings; the default is ''."""
    engine_timeout: int
    """Seconds that an engine may take to start, or to answer; an int from 1 to 3600; the default is 60."""
    frame_skip: int
    """Tics per step; a second of the game has 35; an int from 1 to 1000; the default is 1."""
    max_buttons_pressed: int
    """Most binary buttons that are held at once; 0: any, each with its own entry; an int from 0 to 43; the default
    depends on the id."""
    treat_episode_timeout_as_truncation: bool
    """The settings' time limit also truncates an episode; the default is True."""
    use_multi_binary_action_space: bool
    """Any buttons: MultiBinary instead of MultiDiscrete; the default is True."""
    doom_map: str | bytes
    """The map, such as map01, instead of the one in the settings; the default is ''."""
    doom_skill: int
    """Difficulty from 1 to 5; 0: the one in the settings; an int from 0 to 5; the default is 0."""
    depth_buffer_enabled: bool
    """Observe the depth, whatever the settings say; the default is False."""
    labels_buffer_enabled: bool
    """Observe the labels of objects, whatever the settings say; the default is False."""
    automap_buffer_enabled: bool
    """Observe the automap, whatever the settings say; the default is False."""

@overload
def make(task_id: AtariId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[AtariOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: AleId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[AleOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MultiplayerAtariId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MultiplayerAtariOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: LunarLanderId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[LunarLanderOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: BipedalWalkerId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[BipedalWalkerOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: CarRacingId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[CarRacingOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: BsuiteCatchId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[BsuiteCatchOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: DeepSeaId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[DeepSeaOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: DiscountingChainId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[DiscountingChainOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MemoryChainId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MemoryChainOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: SimpleBanditId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[SimpleBanditOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: UmbrellaChainId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[UmbrellaChainOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: CartPoleId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[CartPoleOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: PendulumId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[PendulumOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MountainCarId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MountainCarOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MountainCarContinuousId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MountainCarContinuousOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: AcrobotId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[AcrobotOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: Phys2dCartPoleId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[Phys2dCartPoleOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: Phys2dPendulumId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[Phys2dPendulumOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: CraftaxClassicSymbolicId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[CraftaxClassicSymbolicOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: CraftaxSymbolicId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[CraftaxSymbolicOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: CraftaxClassicPixelsId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[CraftaxClassicPixelsOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: CraftaxPixelsId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[CraftaxPixelsOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: OvercookedId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[OvercookedOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: HanabiId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[HanabiOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: CleanerId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[CleanerOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ConnectorId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ConnectorOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: Game2048Id, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[Game2048Options]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: LevelBasedForagingId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[LevelBasedForagingOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: JumanjiMazeId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[JumanjiMazeOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MinesweeperId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MinesweeperOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: RobotWarehouseId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[RobotWarehouseOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: RubiksCubeId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[RubiksCubeOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: SlidingTilePuzzleId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[SlidingTilePuzzleOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: SnakeId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[SnakeOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: SudokuId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[SudokuOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MinAtarAsterixId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MinAtarAsterixOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MinAtarBreakoutId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MinAtarBreakoutOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MinAtarFreewayId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MinAtarFreewayOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MinAtarSeaquestId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MinAtarSeaquestOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MinAtarSpaceInvadersId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MinAtarSpaceInvadersOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridEmptyId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridEmptyOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridFourRoomsId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridFourRoomsOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridDoorKeyId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridDoorKeyOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridMultiRoomId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridMultiRoomOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridKeyCorridorId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridKeyCorridorOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridCrossingId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridCrossingOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridLavaGapId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridLavaGapOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridDynamicObstaclesId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridDynamicObstaclesOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridDistShiftId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridDistShiftOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridFetchId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridFetchOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridGoToDoorId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridGoToDoorOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridGoToObjectId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridGoToObjectOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridPutNearId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridPutNearOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridRedBlueDoorsId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridRedBlueDoorsOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridMemoryId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridMemoryOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridLockedRoomId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridLockedRoomOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridPlaygroundId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridPlaygroundOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridUnlockId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridUnlockOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridUnlockPickupId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridUnlockPickupOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridObstructedMazeId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiniGridObstructedMazeOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: BabyAIGoToId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[BabyAIGoToOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: BabyAIOpenId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[BabyAIOpenOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: BabyAIPickupId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[BabyAIPickupOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: BabyAIPutNextId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[BabyAIPutNextOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: BabyAIUnlockId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[BabyAIUnlockOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: BabyAISynthId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[BabyAISynthOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: FourRoomsId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[FourRoomsOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MetaMazeId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MetaMazeOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: PointRobotId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[PointRobotOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: BernoulliBanditId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[BernoulliBanditOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: GaussianBanditId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[GaussianBanditOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiscReacherId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiscReacherOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiscSwimmerId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiscSwimmerOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: PongId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[PongOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MiscMazeId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MiscMazeOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: PusherId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[PusherOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ControlSuiteId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ControlSuiteOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: MujocoId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[MujocoOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: TicTacToeId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[TicTacToeOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ConnectFourId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ConnectFourOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: OthelloId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[OthelloOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ChessId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ChessOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: GardnerChessId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[GardnerChessOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: AnimalShogiId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[AnimalShogiOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ShogiId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ShogiOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: HexId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[HexOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: BackgammonId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[BackgammonOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: KuhnPokerId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[KuhnPokerOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: LeducHoldemId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[LeducHoldemOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: SparrowMahjongId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[SparrowMahjongOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: Play2048Id, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[Play2048Options]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ChineseGo9x9Id, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ChineseGo9x9Options]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: Go9x9Id, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[Go9x9Options]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ChineseGo13x13Id, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ChineseGo13x13Options]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: Go13x13Id, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[Go13x13Options]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ChineseGo19x19Id, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ChineseGo19x19Options]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: Go19x19Id, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[Go19x19Options]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenBigfishId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ProcgenBigfishOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenBossfightId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ProcgenBossfightOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenCaveflyerId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ProcgenCaveflyerOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenChaserId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ProcgenChaserOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenClimberId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ProcgenClimberOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenCoinrunId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ProcgenCoinrunOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenDodgeballId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ProcgenDodgeballOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenFruitbotId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ProcgenFruitbotOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenHeistId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ProcgenHeistOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenJumperId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ProcgenJumperOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenLeaperId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ProcgenLeaperOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenMazeId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ProcgenMazeOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenMinerId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ProcgenMinerOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenNinjaId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ProcgenNinjaOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenPlunderId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ProcgenPlunderOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenStarpilotId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ProcgenStarpilotOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: AntId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[AntOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: HalfCheetahId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[HalfCheetahOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: HopperId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[HopperOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: HumanoidId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[HumanoidOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: HumanoidStandupId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[HumanoidStandupOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: InvertedDoublePendulumId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[InvertedDoublePendulumOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: InvertedPendulumId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[InvertedPendulumOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: RobotsReacherId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[RobotsReacherOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: RobotsSwimmerId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[RobotsSwimmerOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: Walker2dOldId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[Walker2dOldOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: Walker2dId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[Walker2dOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: TagContinuousId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[TagContinuousOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: TagGridWorldId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[TagGridWorldOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: ToyTextCatchId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[ToyTextCatchOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: FrozenLakeId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[FrozenLakeOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: TaxiId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[TaxiOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: NChainId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[NChainOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: CliffWalkingId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[CliffWalkingOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: BlackjackId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[BlackjackOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: VizdoomId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[VizdoomOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: VizdoomGymId, env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Unpack[VizdoomGymOptions]) -> GymnasiumEnvPool: ...
@overload
def make(task_id: str | Sequence[str], env_type: Literal["gymnasium"] = ..., *, num_envs: int = ..., **options: Any) -> GymnasiumEnvPool: ...
@overload
def make(task_id: AtariId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[AtariOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: AleId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[AleOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MultiplayerAtariId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MultiplayerAtariOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: LunarLanderId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[LunarLanderOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: BipedalWalkerId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[BipedalWalkerOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: CarRacingId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[CarRacingOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: BsuiteCatchId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[BsuiteCatchOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: DeepSeaId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[DeepSeaOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: DiscountingChainId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[DiscountingChainOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MemoryChainId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MemoryChainOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: SimpleBanditId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[SimpleBanditOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: UmbrellaChainId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[UmbrellaChainOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: CartPoleId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[CartPoleOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: PendulumId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[PendulumOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MountainCarId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MountainCarOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MountainCarContinuousId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MountainCarContinuousOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: AcrobotId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[AcrobotOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: Phys2dCartPoleId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[Phys2dCartPoleOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: Phys2dPendulumId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[Phys2dPendulumOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: CraftaxClassicSymbolicId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[CraftaxClassicSymbolicOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: CraftaxSymbolicId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[CraftaxSymbolicOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: CraftaxClassicPixelsId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[CraftaxClassicPixelsOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: CraftaxPixelsId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[CraftaxPixelsOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: OvercookedId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[OvercookedOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: HanabiId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[HanabiOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: CleanerId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[CleanerOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ConnectorId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ConnectorOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: Game2048Id, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[Game2048Options]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: LevelBasedForagingId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[LevelBasedForagingOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: JumanjiMazeId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[JumanjiMazeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MinesweeperId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MinesweeperOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: RobotWarehouseId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[RobotWarehouseOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: RubiksCubeId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[RubiksCubeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: SlidingTilePuzzleId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[SlidingTilePuzzleOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: SnakeId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[SnakeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: SudokuId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[SudokuOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MinAtarAsterixId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MinAtarAsterixOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MinAtarBreakoutId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MinAtarBreakoutOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MinAtarFreewayId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MinAtarFreewayOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MinAtarSeaquestId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MinAtarSeaquestOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MinAtarSpaceInvadersId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MinAtarSpaceInvadersOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridEmptyId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridEmptyOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridFourRoomsId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridFourRoomsOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridDoorKeyId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridDoorKeyOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridMultiRoomId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridMultiRoomOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridKeyCorridorId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridKeyCorridorOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridCrossingId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridCrossingOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridLavaGapId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridLavaGapOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridDynamicObstaclesId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridDynamicObstaclesOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridDistShiftId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridDistShiftOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridFetchId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridFetchOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridGoToDoorId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridGoToDoorOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridGoToObjectId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridGoToObjectOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridPutNearId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridPutNearOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridRedBlueDoorsId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridRedBlueDoorsOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridMemoryId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridMemoryOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridLockedRoomId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridLockedRoomOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridPlaygroundId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridPlaygroundOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridUnlockId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridUnlockOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridUnlockPickupId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridUnlockPickupOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiniGridObstructedMazeId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiniGridObstructedMazeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: BabyAIGoToId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[BabyAIGoToOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: BabyAIOpenId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[BabyAIOpenOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: BabyAIPickupId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[BabyAIPickupOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: BabyAIPutNextId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[BabyAIPutNextOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: BabyAIUnlockId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[BabyAIUnlockOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: BabyAISynthId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[BabyAISynthOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: FourRoomsId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[FourRoomsOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MetaMazeId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MetaMazeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: PointRobotId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[PointRobotOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: BernoulliBanditId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[BernoulliBanditOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: GaussianBanditId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[GaussianBanditOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiscReacherId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiscReacherOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiscSwimmerId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiscSwimmerOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: PongId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[PongOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MiscMazeId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MiscMazeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: PusherId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[PusherOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ControlSuiteId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ControlSuiteOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: MujocoId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[MujocoOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: TicTacToeId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[TicTacToeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ConnectFourId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ConnectFourOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: OthelloId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[OthelloOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ChessId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ChessOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: GardnerChessId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[GardnerChessOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: AnimalShogiId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[AnimalShogiOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ShogiId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ShogiOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: HexId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[HexOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: BackgammonId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[BackgammonOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: KuhnPokerId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[KuhnPokerOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: LeducHoldemId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[LeducHoldemOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: SparrowMahjongId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[SparrowMahjongOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: Play2048Id, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[Play2048Options]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ChineseGo9x9Id, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ChineseGo9x9Options]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: Go9x9Id, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[Go9x9Options]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ChineseGo13x13Id, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ChineseGo13x13Options]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: Go13x13Id, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[Go13x13Options]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ChineseGo19x19Id, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ChineseGo19x19Options]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: Go19x19Id, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[Go19x19Options]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenBigfishId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ProcgenBigfishOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenBossfightId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ProcgenBossfightOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenCaveflyerId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ProcgenCaveflyerOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenChaserId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ProcgenChaserOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenClimberId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ProcgenClimberOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenCoinrunId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ProcgenCoinrunOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenDodgeballId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ProcgenDodgeballOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenFruitbotId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ProcgenFruitbotOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenHeistId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ProcgenHeistOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenJumperId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ProcgenJumperOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenLeaperId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ProcgenLeaperOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenMazeId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ProcgenMazeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenMinerId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ProcgenMinerOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenNinjaId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ProcgenNinjaOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenPlunderId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ProcgenPlunderOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ProcgenStarpilotId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ProcgenStarpilotOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: AntId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[AntOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: HalfCheetahId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[HalfCheetahOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: HopperId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[HopperOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: HumanoidId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[HumanoidOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: HumanoidStandupId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[HumanoidStandupOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: InvertedDoublePendulumId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[InvertedDoublePendulumOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: InvertedPendulumId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[InvertedPendulumOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: RobotsReacherId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[RobotsReacherOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: RobotsSwimmerId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[RobotsSwimmerOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: Walker2dOldId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[Walker2dOldOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: Walker2dId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[Walker2dOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: TagContinuousId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[TagContinuousOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: TagGridWorldId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[TagGridWorldOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: ToyTextCatchId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[ToyTextCatchOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: FrozenLakeId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[FrozenLakeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: TaxiId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[TaxiOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: NChainId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[NChainOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: CliffWalkingId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[CliffWalkingOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: BlackjackId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[BlackjackOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: VizdoomId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[VizdoomOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: VizdoomGymId, env_type: Literal["gym"], *, num_envs: int = ..., **options: Unpack[VizdoomGymOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: str | Sequence[str], env_type: Literal["gym"], *, num_envs: int = ..., **options: Any) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make(task_id: AtariId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[AtariOptions]) -> DMEnvPool: ...
@overload
def make(task_id: AleId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[AleOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MultiplayerAtariId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MultiplayerAtariOptions]) -> DMEnvPool: ...
@overload
def make(task_id: LunarLanderId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[LunarLanderOptions]) -> DMEnvPool: ...
@overload
def make(task_id: BipedalWalkerId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[BipedalWalkerOptions]) -> DMEnvPool: ...
@overload
def make(task_id: CarRacingId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[CarRacingOptions]) -> DMEnvPool: ...
@overload
def make(task_id: BsuiteCatchId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[BsuiteCatchOptions]) -> DMEnvPool: ...
@overload
def make(task_id: DeepSeaId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[DeepSeaOptions]) -> DMEnvPool: ...
@overload
def make(task_id: DiscountingChainId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[DiscountingChainOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MemoryChainId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MemoryChainOptions]) -> DMEnvPool: ...
@overload
def make(task_id: SimpleBanditId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[SimpleBanditOptions]) -> DMEnvPool: ...
@overload
def make(task_id: UmbrellaChainId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[UmbrellaChainOptions]) -> DMEnvPool: ...
@overload
def make(task_id: CartPoleId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[CartPoleOptions]) -> DMEnvPool: ...
@overload
def make(task_id: PendulumId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[PendulumOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MountainCarId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MountainCarOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MountainCarContinuousId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MountainCarContinuousOptions]) -> DMEnvPool: ...
@overload
def make(task_id: AcrobotId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[AcrobotOptions]) -> DMEnvPool: ...
@overload
def make(task_id: Phys2dCartPoleId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[Phys2dCartPoleOptions]) -> DMEnvPool: ...
@overload
def make(task_id: Phys2dPendulumId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[Phys2dPendulumOptions]) -> DMEnvPool: ...
@overload
def make(task_id: CraftaxClassicSymbolicId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[CraftaxClassicSymbolicOptions]) -> DMEnvPool: ...
@overload
def make(task_id: CraftaxSymbolicId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[CraftaxSymbolicOptions]) -> DMEnvPool: ...
@overload
def make(task_id: CraftaxClassicPixelsId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[CraftaxClassicPixelsOptions]) -> DMEnvPool: ...
@overload
def make(task_id: CraftaxPixelsId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[CraftaxPixelsOptions]) -> DMEnvPool: ...
@overload
def make(task_id: OvercookedId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[OvercookedOptions]) -> DMEnvPool: ...
@overload
def make(task_id: HanabiId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[HanabiOptions]) -> DMEnvPool: ...
@overload
def make(task_id: CleanerId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[CleanerOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ConnectorId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ConnectorOptions]) -> DMEnvPool: ...
@overload
def make(task_id: Game2048Id, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[Game2048Options]) -> DMEnvPool: ...
@overload
def make(task_id: LevelBasedForagingId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[LevelBasedForagingOptions]) -> DMEnvPool: ...
@overload
def make(task_id: JumanjiMazeId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[JumanjiMazeOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MinesweeperId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MinesweeperOptions]) -> DMEnvPool: ...
@overload
def make(task_id: RobotWarehouseId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[RobotWarehouseOptions]) -> DMEnvPool: ...
@overload
def make(task_id: RubiksCubeId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[RubiksCubeOptions]) -> DMEnvPool: ...
@overload
def make(task_id: SlidingTilePuzzleId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[SlidingTilePuzzleOptions]) -> DMEnvPool: ...
@overload
def make(task_id: SnakeId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[SnakeOptions]) -> DMEnvPool: ...
@overload
def make(task_id: SudokuId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[SudokuOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MinAtarAsterixId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MinAtarAsterixOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MinAtarBreakoutId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MinAtarBreakoutOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MinAtarFreewayId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MinAtarFreewayOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MinAtarSeaquestId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MinAtarSeaquestOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MinAtarSpaceInvadersId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MinAtarSpaceInvadersOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridEmptyId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridEmptyOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridFourRoomsId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridFourRoomsOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridDoorKeyId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridDoorKeyOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridMultiRoomId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridMultiRoomOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridKeyCorridorId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridKeyCorridorOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridCrossingId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridCrossingOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridLavaGapId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridLavaGapOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridDynamicObstaclesId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridDynamicObstaclesOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridDistShiftId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridDistShiftOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridFetchId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridFetchOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridGoToDoorId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridGoToDoorOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridGoToObjectId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridGoToObjectOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridPutNearId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridPutNearOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridRedBlueDoorsId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridRedBlueDoorsOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridMemoryId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridMemoryOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridLockedRoomId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridLockedRoomOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridPlaygroundId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridPlaygroundOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridUnlockId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridUnlockOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridUnlockPickupId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridUnlockPickupOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiniGridObstructedMazeId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiniGridObstructedMazeOptions]) -> DMEnvPool: ...
@overload
def make(task_id: BabyAIGoToId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[BabyAIGoToOptions]) -> DMEnvPool: ...
@overload
def make(task_id: BabyAIOpenId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[BabyAIOpenOptions]) -> DMEnvPool: ...
@overload
def make(task_id: BabyAIPickupId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[BabyAIPickupOptions]) -> DMEnvPool: ...
@overload
def make(task_id: BabyAIPutNextId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[BabyAIPutNextOptions]) -> DMEnvPool: ...
@overload
def make(task_id: BabyAIUnlockId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[BabyAIUnlockOptions]) -> DMEnvPool: ...
@overload
def make(task_id: BabyAISynthId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[BabyAISynthOptions]) -> DMEnvPool: ...
@overload
def make(task_id: FourRoomsId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[FourRoomsOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MetaMazeId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MetaMazeOptions]) -> DMEnvPool: ...
@overload
def make(task_id: PointRobotId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[PointRobotOptions]) -> DMEnvPool: ...
@overload
def make(task_id: BernoulliBanditId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[BernoulliBanditOptions]) -> DMEnvPool: ...
@overload
def make(task_id: GaussianBanditId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[GaussianBanditOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiscReacherId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiscReacherOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiscSwimmerId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiscSwimmerOptions]) -> DMEnvPool: ...
@overload
def make(task_id: PongId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[PongOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MiscMazeId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MiscMazeOptions]) -> DMEnvPool: ...
@overload
def make(task_id: PusherId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[PusherOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ControlSuiteId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ControlSuiteOptions]) -> DMEnvPool: ...
@overload
def make(task_id: MujocoId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[MujocoOptions]) -> DMEnvPool: ...
@overload
def make(task_id: TicTacToeId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[TicTacToeOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ConnectFourId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ConnectFourOptions]) -> DMEnvPool: ...
@overload
def make(task_id: OthelloId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[OthelloOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ChessId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ChessOptions]) -> DMEnvPool: ...
@overload
def make(task_id: GardnerChessId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[GardnerChessOptions]) -> DMEnvPool: ...
@overload
def make(task_id: AnimalShogiId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[AnimalShogiOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ShogiId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ShogiOptions]) -> DMEnvPool: ...
@overload
def make(task_id: HexId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[HexOptions]) -> DMEnvPool: ...
@overload
def make(task_id: BackgammonId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[BackgammonOptions]) -> DMEnvPool: ...
@overload
def make(task_id: KuhnPokerId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[KuhnPokerOptions]) -> DMEnvPool: ...
@overload
def make(task_id: LeducHoldemId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[LeducHoldemOptions]) -> DMEnvPool: ...
@overload
def make(task_id: SparrowMahjongId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[SparrowMahjongOptions]) -> DMEnvPool: ...
@overload
def make(task_id: Play2048Id, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[Play2048Options]) -> DMEnvPool: ...
@overload
def make(task_id: ChineseGo9x9Id, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ChineseGo9x9Options]) -> DMEnvPool: ...
@overload
def make(task_id: Go9x9Id, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[Go9x9Options]) -> DMEnvPool: ...
@overload
def make(task_id: ChineseGo13x13Id, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ChineseGo13x13Options]) -> DMEnvPool: ...
@overload
def make(task_id: Go13x13Id, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[Go13x13Options]) -> DMEnvPool: ...
@overload
def make(task_id: ChineseGo19x19Id, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ChineseGo19x19Options]) -> DMEnvPool: ...
@overload
def make(task_id: Go19x19Id, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[Go19x19Options]) -> DMEnvPool: ...
@overload
def make(task_id: ProcgenBigfishId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ProcgenBigfishOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ProcgenBossfightId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ProcgenBossfightOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ProcgenCaveflyerId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ProcgenCaveflyerOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ProcgenChaserId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ProcgenChaserOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ProcgenClimberId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ProcgenClimberOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ProcgenCoinrunId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ProcgenCoinrunOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ProcgenDodgeballId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ProcgenDodgeballOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ProcgenFruitbotId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ProcgenFruitbotOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ProcgenHeistId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ProcgenHeistOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ProcgenJumperId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ProcgenJumperOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ProcgenLeaperId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ProcgenLeaperOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ProcgenMazeId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ProcgenMazeOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ProcgenMinerId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ProcgenMinerOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ProcgenNinjaId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ProcgenNinjaOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ProcgenPlunderId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ProcgenPlunderOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ProcgenStarpilotId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ProcgenStarpilotOptions]) -> DMEnvPool: ...
@overload
def make(task_id: AntId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[AntOptions]) -> DMEnvPool: ...
@overload
def make(task_id: HalfCheetahId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[HalfCheetahOptions]) -> DMEnvPool: ...
@overload
def make(task_id: HopperId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[HopperOptions]) -> DMEnvPool: ...
@overload
def make(task_id: HumanoidId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[HumanoidOptions]) -> DMEnvPool: ...
@overload
def make(task_id: HumanoidStandupId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[HumanoidStandupOptions]) -> DMEnvPool: ...
@overload
def make(task_id: InvertedDoublePendulumId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[InvertedDoublePendulumOptions]) -> DMEnvPool: ...
@overload
def make(task_id: InvertedPendulumId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[InvertedPendulumOptions]) -> DMEnvPool: ...
@overload
def make(task_id: RobotsReacherId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[RobotsReacherOptions]) -> DMEnvPool: ...
@overload
def make(task_id: RobotsSwimmerId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[RobotsSwimmerOptions]) -> DMEnvPool: ...
@overload
def make(task_id: Walker2dOldId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[Walker2dOldOptions]) -> DMEnvPool: ...
@overload
def make(task_id: Walker2dId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[Walker2dOptions]) -> DMEnvPool: ...
@overload
def make(task_id: TagContinuousId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[TagContinuousOptions]) -> DMEnvPool: ...
@overload
def make(task_id: TagGridWorldId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[TagGridWorldOptions]) -> DMEnvPool: ...
@overload
def make(task_id: ToyTextCatchId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[ToyTextCatchOptions]) -> DMEnvPool: ...
@overload
def make(task_id: FrozenLakeId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[FrozenLakeOptions]) -> DMEnvPool: ...
@overload
def make(task_id: TaxiId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[TaxiOptions]) -> DMEnvPool: ...
@overload
def make(task_id: NChainId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[NChainOptions]) -> DMEnvPool: ...
@overload
def make(task_id: CliffWalkingId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[CliffWalkingOptions]) -> DMEnvPool: ...
@overload
def make(task_id: BlackjackId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[BlackjackOptions]) -> DMEnvPool: ...
@overload
def make(task_id: VizdoomId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[VizdoomOptions]) -> DMEnvPool: ...
@overload
def make(task_id: VizdoomGymId, env_type: Literal["dm"], *, num_envs: int = ..., **options: Unpack[VizdoomGymOptions]) -> DMEnvPool: ...
@overload
def make(task_id: str | Sequence[str], env_type: Literal["dm"], *, num_envs: int = ..., **options: Any) -> DMEnvPool: ...
@overload
def make(task_id: str | Sequence[str], env_type: str, *, num_envs: int = ..., **options: Any) -> GymnasiumEnvPool | GymEnvPool | DMEnvPool: ...
@overload
def make_gymnasium(task_id: AtariId, *, num_envs: int = ..., **options: Unpack[AtariOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: AleId, *, num_envs: int = ..., **options: Unpack[AleOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MultiplayerAtariId, *, num_envs: int = ..., **options: Unpack[MultiplayerAtariOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: LunarLanderId, *, num_envs: int = ..., **options: Unpack[LunarLanderOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: BipedalWalkerId, *, num_envs: int = ..., **options: Unpack[BipedalWalkerOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: CarRacingId, *, num_envs: int = ..., **options: Unpack[CarRacingOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: BsuiteCatchId, *, num_envs: int = ..., **options: Unpack[BsuiteCatchOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: DeepSeaId, *, num_envs: int = ..., **options: Unpack[DeepSeaOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: DiscountingChainId, *, num_envs: int = ..., **options: Unpack[DiscountingChainOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MemoryChainId, *, num_envs: int = ..., **options: Unpack[MemoryChainOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: SimpleBanditId, *, num_envs: int = ..., **options: Unpack[SimpleBanditOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: UmbrellaChainId, *, num_envs: int = ..., **options: Unpack[UmbrellaChainOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: CartPoleId, *, num_envs: int = ..., **options: Unpack[CartPoleOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: PendulumId, *, num_envs: int = ..., **options: Unpack[PendulumOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MountainCarId, *, num_envs: int = ..., **options: Unpack[MountainCarOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MountainCarContinuousId, *, num_envs: int = ..., **options: Unpack[MountainCarContinuousOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: AcrobotId, *, num_envs: int = ..., **options: Unpack[AcrobotOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: Phys2dCartPoleId, *, num_envs: int = ..., **options: Unpack[Phys2dCartPoleOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: Phys2dPendulumId, *, num_envs: int = ..., **options: Unpack[Phys2dPendulumOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: CraftaxClassicSymbolicId, *, num_envs: int = ..., **options: Unpack[CraftaxClassicSymbolicOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: CraftaxSymbolicId, *, num_envs: int = ..., **options: Unpack[CraftaxSymbolicOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: CraftaxClassicPixelsId, *, num_envs: int = ..., **options: Unpack[CraftaxClassicPixelsOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: CraftaxPixelsId, *, num_envs: int = ..., **options: Unpack[CraftaxPixelsOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: OvercookedId, *, num_envs: int = ..., **options: Unpack[OvercookedOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: HanabiId, *, num_envs: int = ..., **options: Unpack[HanabiOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: CleanerId, *, num_envs: int = ..., **options: Unpack[CleanerOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ConnectorId, *, num_envs: int = ..., **options: Unpack[ConnectorOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: Game2048Id, *, num_envs: int = ..., **options: Unpack[Game2048Options]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: LevelBasedForagingId, *, num_envs: int = ..., **options: Unpack[LevelBasedForagingOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: JumanjiMazeId, *, num_envs: int = ..., **options: Unpack[JumanjiMazeOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MinesweeperId, *, num_envs: int = ..., **options: Unpack[MinesweeperOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: RobotWarehouseId, *, num_envs: int = ..., **options: Unpack[RobotWarehouseOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: RubiksCubeId, *, num_envs: int = ..., **options: Unpack[RubiksCubeOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: SlidingTilePuzzleId, *, num_envs: int = ..., **options: Unpack[SlidingTilePuzzleOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: SnakeId, *, num_envs: int = ..., **options: Unpack[SnakeOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: SudokuId, *, num_envs: int = ..., **options: Unpack[SudokuOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MinAtarAsterixId, *, num_envs: int = ..., **options: Unpack[MinAtarAsterixOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MinAtarBreakoutId, *, num_envs: int = ..., **options: Unpack[MinAtarBreakoutOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MinAtarFreewayId, *, num_envs: int = ..., **options: Unpack[MinAtarFreewayOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MinAtarSeaquestId, *, num_envs: int = ..., **options: Unpack[MinAtarSeaquestOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MinAtarSpaceInvadersId, *, num_envs: int = ..., **options: Unpack[MinAtarSpaceInvadersOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridEmptyId, *, num_envs: int = ..., **options: Unpack[MiniGridEmptyOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridFourRoomsId, *, num_envs: int = ..., **options: Unpack[MiniGridFourRoomsOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridDoorKeyId, *, num_envs: int = ..., **options: Unpack[MiniGridDoorKeyOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridMultiRoomId, *, num_envs: int = ..., **options: Unpack[MiniGridMultiRoomOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridKeyCorridorId, *, num_envs: int = ..., **options: Unpack[MiniGridKeyCorridorOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridCrossingId, *, num_envs: int = ..., **options: Unpack[MiniGridCrossingOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridLavaGapId, *, num_envs: int = ..., **options: Unpack[MiniGridLavaGapOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridDynamicObstaclesId, *, num_envs: int = ..., **options: Unpack[MiniGridDynamicObstaclesOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridDistShiftId, *, num_envs: int = ..., **options: Unpack[MiniGridDistShiftOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridFetchId, *, num_envs: int = ..., **options: Unpack[MiniGridFetchOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridGoToDoorId, *, num_envs: int = ..., **options: Unpack[MiniGridGoToDoorOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridGoToObjectId, *, num_envs: int = ..., **options: Unpack[MiniGridGoToObjectOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridPutNearId, *, num_envs: int = ..., **options: Unpack[MiniGridPutNearOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridRedBlueDoorsId, *, num_envs: int = ..., **options: Unpack[MiniGridRedBlueDoorsOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridMemoryId, *, num_envs: int = ..., **options: Unpack[MiniGridMemoryOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridLockedRoomId, *, num_envs: int = ..., **options: Unpack[MiniGridLockedRoomOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridPlaygroundId, *, num_envs: int = ..., **options: Unpack[MiniGridPlaygroundOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridUnlockId, *, num_envs: int = ..., **options: Unpack[MiniGridUnlockOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridUnlockPickupId, *, num_envs: int = ..., **options: Unpack[MiniGridUnlockPickupOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiniGridObstructedMazeId, *, num_envs: int = ..., **options: Unpack[MiniGridObstructedMazeOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: BabyAIGoToId, *, num_envs: int = ..., **options: Unpack[BabyAIGoToOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: BabyAIOpenId, *, num_envs: int = ..., **options: Unpack[BabyAIOpenOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: BabyAIPickupId, *, num_envs: int = ..., **options: Unpack[BabyAIPickupOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: BabyAIPutNextId, *, num_envs: int = ..., **options: Unpack[BabyAIPutNextOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: BabyAIUnlockId, *, num_envs: int = ..., **options: Unpack[BabyAIUnlockOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: BabyAISynthId, *, num_envs: int = ..., **options: Unpack[BabyAISynthOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: FourRoomsId, *, num_envs: int = ..., **options: Unpack[FourRoomsOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MetaMazeId, *, num_envs: int = ..., **options: Unpack[MetaMazeOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: PointRobotId, *, num_envs: int = ..., **options: Unpack[PointRobotOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: BernoulliBanditId, *, num_envs: int = ..., **options: Unpack[BernoulliBanditOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: GaussianBanditId, *, num_envs: int = ..., **options: Unpack[GaussianBanditOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiscReacherId, *, num_envs: int = ..., **options: Unpack[MiscReacherOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiscSwimmerId, *, num_envs: int = ..., **options: Unpack[MiscSwimmerOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: PongId, *, num_envs: int = ..., **options: Unpack[PongOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MiscMazeId, *, num_envs: int = ..., **options: Unpack[MiscMazeOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: PusherId, *, num_envs: int = ..., **options: Unpack[PusherOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ControlSuiteId, *, num_envs: int = ..., **options: Unpack[ControlSuiteOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: MujocoId, *, num_envs: int = ..., **options: Unpack[MujocoOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: TicTacToeId, *, num_envs: int = ..., **options: Unpack[TicTacToeOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ConnectFourId, *, num_envs: int = ..., **options: Unpack[ConnectFourOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: OthelloId, *, num_envs: int = ..., **options: Unpack[OthelloOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ChessId, *, num_envs: int = ..., **options: Unpack[ChessOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: GardnerChessId, *, num_envs: int = ..., **options: Unpack[GardnerChessOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: AnimalShogiId, *, num_envs: int = ..., **options: Unpack[AnimalShogiOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ShogiId, *, num_envs: int = ..., **options: Unpack[ShogiOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: HexId, *, num_envs: int = ..., **options: Unpack[HexOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: BackgammonId, *, num_envs: int = ..., **options: Unpack[BackgammonOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: KuhnPokerId, *, num_envs: int = ..., **options: Unpack[KuhnPokerOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: LeducHoldemId, *, num_envs: int = ..., **options: Unpack[LeducHoldemOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: SparrowMahjongId, *, num_envs: int = ..., **options: Unpack[SparrowMahjongOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: Play2048Id, *, num_envs: int = ..., **options: Unpack[Play2048Options]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ChineseGo9x9Id, *, num_envs: int = ..., **options: Unpack[ChineseGo9x9Options]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: Go9x9Id, *, num_envs: int = ..., **options: Unpack[Go9x9Options]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ChineseGo13x13Id, *, num_envs: int = ..., **options: Unpack[ChineseGo13x13Options]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: Go13x13Id, *, num_envs: int = ..., **options: Unpack[Go13x13Options]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ChineseGo19x19Id, *, num_envs: int = ..., **options: Unpack[ChineseGo19x19Options]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: Go19x19Id, *, num_envs: int = ..., **options: Unpack[Go19x19Options]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ProcgenBigfishId, *, num_envs: int = ..., **options: Unpack[ProcgenBigfishOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ProcgenBossfightId, *, num_envs: int = ..., **options: Unpack[ProcgenBossfightOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ProcgenCaveflyerId, *, num_envs: int = ..., **options: Unpack[ProcgenCaveflyerOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ProcgenChaserId, *, num_envs: int = ..., **options: Unpack[ProcgenChaserOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ProcgenClimberId, *, num_envs: int = ..., **options: Unpack[ProcgenClimberOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ProcgenCoinrunId, *, num_envs: int = ..., **options: Unpack[ProcgenCoinrunOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ProcgenDodgeballId, *, num_envs: int = ..., **options: Unpack[ProcgenDodgeballOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ProcgenFruitbotId, *, num_envs: int = ..., **options: Unpack[ProcgenFruitbotOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ProcgenHeistId, *, num_envs: int = ..., **options: Unpack[ProcgenHeistOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ProcgenJumperId, *, num_envs: int = ..., **options: Unpack[ProcgenJumperOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ProcgenLeaperId, *, num_envs: int = ..., **options: Unpack[ProcgenLeaperOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ProcgenMazeId, *, num_envs: int = ..., **options: Unpack[ProcgenMazeOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ProcgenMinerId, *, num_envs: int = ..., **options: Unpack[ProcgenMinerOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ProcgenNinjaId, *, num_envs: int = ..., **options: Unpack[ProcgenNinjaOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ProcgenPlunderId, *, num_envs: int = ..., **options: Unpack[ProcgenPlunderOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ProcgenStarpilotId, *, num_envs: int = ..., **options: Unpack[ProcgenStarpilotOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: AntId, *, num_envs: int = ..., **options: Unpack[AntOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: HalfCheetahId, *, num_envs: int = ..., **options: Unpack[HalfCheetahOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: HopperId, *, num_envs: int = ..., **options: Unpack[HopperOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: HumanoidId, *, num_envs: int = ..., **options: Unpack[HumanoidOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: HumanoidStandupId, *, num_envs: int = ..., **options: Unpack[HumanoidStandupOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: InvertedDoublePendulumId, *, num_envs: int = ..., **options: Unpack[InvertedDoublePendulumOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: InvertedPendulumId, *, num_envs: int = ..., **options: Unpack[InvertedPendulumOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: RobotsReacherId, *, num_envs: int = ..., **options: Unpack[RobotsReacherOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: RobotsSwimmerId, *, num_envs: int = ..., **options: Unpack[RobotsSwimmerOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: Walker2dOldId, *, num_envs: int = ..., **options: Unpack[Walker2dOldOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: Walker2dId, *, num_envs: int = ..., **options: Unpack[Walker2dOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: TagContinuousId, *, num_envs: int = ..., **options: Unpack[TagContinuousOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: TagGridWorldId, *, num_envs: int = ..., **options: Unpack[TagGridWorldOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: ToyTextCatchId, *, num_envs: int = ..., **options: Unpack[ToyTextCatchOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: FrozenLakeId, *, num_envs: int = ..., **options: Unpack[FrozenLakeOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: TaxiId, *, num_envs: int = ..., **options: Unpack[TaxiOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: NChainId, *, num_envs: int = ..., **options: Unpack[NChainOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: CliffWalkingId, *, num_envs: int = ..., **options: Unpack[CliffWalkingOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: BlackjackId, *, num_envs: int = ..., **options: Unpack[BlackjackOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: VizdoomId, *, num_envs: int = ..., **options: Unpack[VizdoomOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: VizdoomGymId, *, num_envs: int = ..., **options: Unpack[VizdoomGymOptions]) -> GymnasiumEnvPool: ...
@overload
def make_gymnasium(task_id: str | Sequence[str], *, num_envs: int = ..., **options: Any) -> GymnasiumEnvPool: ...
@overload
def make_gym(task_id: AtariId, *, num_envs: int = ..., **options: Unpack[AtariOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: AleId, *, num_envs: int = ..., **options: Unpack[AleOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MultiplayerAtariId, *, num_envs: int = ..., **options: Unpack[MultiplayerAtariOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: LunarLanderId, *, num_envs: int = ..., **options: Unpack[LunarLanderOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: BipedalWalkerId, *, num_envs: int = ..., **options: Unpack[BipedalWalkerOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: CarRacingId, *, num_envs: int = ..., **options: Unpack[CarRacingOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: BsuiteCatchId, *, num_envs: int = ..., **options: Unpack[BsuiteCatchOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: DeepSeaId, *, num_envs: int = ..., **options: Unpack[DeepSeaOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: DiscountingChainId, *, num_envs: int = ..., **options: Unpack[DiscountingChainOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MemoryChainId, *, num_envs: int = ..., **options: Unpack[MemoryChainOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: SimpleBanditId, *, num_envs: int = ..., **options: Unpack[SimpleBanditOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: UmbrellaChainId, *, num_envs: int = ..., **options: Unpack[UmbrellaChainOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: CartPoleId, *, num_envs: int = ..., **options: Unpack[CartPoleOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: PendulumId, *, num_envs: int = ..., **options: Unpack[PendulumOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MountainCarId, *, num_envs: int = ..., **options: Unpack[MountainCarOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MountainCarContinuousId, *, num_envs: int = ..., **options: Unpack[MountainCarContinuousOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: AcrobotId, *, num_envs: int = ..., **options: Unpack[AcrobotOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: Phys2dCartPoleId, *, num_envs: int = ..., **options: Unpack[Phys2dCartPoleOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: Phys2dPendulumId, *, num_envs: int = ..., **options: Unpack[Phys2dPendulumOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: CraftaxClassicSymbolicId, *, num_envs: int = ..., **options: Unpack[CraftaxClassicSymbolicOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: CraftaxSymbolicId, *, num_envs: int = ..., **options: Unpack[CraftaxSymbolicOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: CraftaxClassicPixelsId, *, num_envs: int = ..., **options: Unpack[CraftaxClassicPixelsOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: CraftaxPixelsId, *, num_envs: int = ..., **options: Unpack[CraftaxPixelsOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: OvercookedId, *, num_envs: int = ..., **options: Unpack[OvercookedOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: HanabiId, *, num_envs: int = ..., **options: Unpack[HanabiOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: CleanerId, *, num_envs: int = ..., **options: Unpack[CleanerOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ConnectorId, *, num_envs: int = ..., **options: Unpack[ConnectorOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: Game2048Id, *, num_envs: int = ..., **options: Unpack[Game2048Options]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: LevelBasedForagingId, *, num_envs: int = ..., **options: Unpack[LevelBasedForagingOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: JumanjiMazeId, *, num_envs: int = ..., **options: Unpack[JumanjiMazeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MinesweeperId, *, num_envs: int = ..., **options: Unpack[MinesweeperOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: RobotWarehouseId, *, num_envs: int = ..., **options: Unpack[RobotWarehouseOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: RubiksCubeId, *, num_envs: int = ..., **options: Unpack[RubiksCubeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: SlidingTilePuzzleId, *, num_envs: int = ..., **options: Unpack[SlidingTilePuzzleOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: SnakeId, *, num_envs: int = ..., **options: Unpack[SnakeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: SudokuId, *, num_envs: int = ..., **options: Unpack[SudokuOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MinAtarAsterixId, *, num_envs: int = ..., **options: Unpack[MinAtarAsterixOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MinAtarBreakoutId, *, num_envs: int = ..., **options: Unpack[MinAtarBreakoutOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MinAtarFreewayId, *, num_envs: int = ..., **options: Unpack[MinAtarFreewayOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MinAtarSeaquestId, *, num_envs: int = ..., **options: Unpack[MinAtarSeaquestOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MinAtarSpaceInvadersId, *, num_envs: int = ..., **options: Unpack[MinAtarSpaceInvadersOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridEmptyId, *, num_envs: int = ..., **options: Unpack[MiniGridEmptyOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridFourRoomsId, *, num_envs: int = ..., **options: Unpack[MiniGridFourRoomsOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridDoorKeyId, *, num_envs: int = ..., **options: Unpack[MiniGridDoorKeyOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridMultiRoomId, *, num_envs: int = ..., **options: Unpack[MiniGridMultiRoomOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridKeyCorridorId, *, num_envs: int = ..., **options: Unpack[MiniGridKeyCorridorOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridCrossingId, *, num_envs: int = ..., **options: Unpack[MiniGridCrossingOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridLavaGapId, *, num_envs: int = ..., **options: Unpack[MiniGridLavaGapOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridDynamicObstaclesId, *, num_envs: int = ..., **options: Unpack[MiniGridDynamicObstaclesOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridDistShiftId, *, num_envs: int = ..., **options: Unpack[MiniGridDistShiftOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridFetchId, *, num_envs: int = ..., **options: Unpack[MiniGridFetchOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridGoToDoorId, *, num_envs: int = ..., **options: Unpack[MiniGridGoToDoorOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridGoToObjectId, *, num_envs: int = ..., **options: Unpack[MiniGridGoToObjectOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridPutNearId, *, num_envs: int = ..., **options: Unpack[MiniGridPutNearOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridRedBlueDoorsId, *, num_envs: int = ..., **options: Unpack[MiniGridRedBlueDoorsOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridMemoryId, *, num_envs: int = ..., **options: Unpack[MiniGridMemoryOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridLockedRoomId, *, num_envs: int = ..., **options: Unpack[MiniGridLockedRoomOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridPlaygroundId, *, num_envs: int = ..., **options: Unpack[MiniGridPlaygroundOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridUnlockId, *, num_envs: int = ..., **options: Unpack[MiniGridUnlockOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridUnlockPickupId, *, num_envs: int = ..., **options: Unpack[MiniGridUnlockPickupOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiniGridObstructedMazeId, *, num_envs: int = ..., **options: Unpack[MiniGridObstructedMazeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: BabyAIGoToId, *, num_envs: int = ..., **options: Unpack[BabyAIGoToOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: BabyAIOpenId, *, num_envs: int = ..., **options: Unpack[BabyAIOpenOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: BabyAIPickupId, *, num_envs: int = ..., **options: Unpack[BabyAIPickupOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: BabyAIPutNextId, *, num_envs: int = ..., **options: Unpack[BabyAIPutNextOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: BabyAIUnlockId, *, num_envs: int = ..., **options: Unpack[BabyAIUnlockOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: BabyAISynthId, *, num_envs: int = ..., **options: Unpack[BabyAISynthOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: FourRoomsId, *, num_envs: int = ..., **options: Unpack[FourRoomsOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MetaMazeId, *, num_envs: int = ..., **options: Unpack[MetaMazeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: PointRobotId, *, num_envs: int = ..., **options: Unpack[PointRobotOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: BernoulliBanditId, *, num_envs: int = ..., **options: Unpack[BernoulliBanditOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: GaussianBanditId, *, num_envs: int = ..., **options: Unpack[GaussianBanditOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiscReacherId, *, num_envs: int = ..., **options: Unpack[MiscReacherOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiscSwimmerId, *, num_envs: int = ..., **options: Unpack[MiscSwimmerOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: PongId, *, num_envs: int = ..., **options: Unpack[PongOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MiscMazeId, *, num_envs: int = ..., **options: Unpack[MiscMazeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: PusherId, *, num_envs: int = ..., **options: Unpack[PusherOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ControlSuiteId, *, num_envs: int = ..., **options: Unpack[ControlSuiteOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: MujocoId, *, num_envs: int = ..., **options: Unpack[MujocoOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: TicTacToeId, *, num_envs: int = ..., **options: Unpack[TicTacToeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ConnectFourId, *, num_envs: int = ..., **options: Unpack[ConnectFourOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: OthelloId, *, num_envs: int = ..., **options: Unpack[OthelloOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ChessId, *, num_envs: int = ..., **options: Unpack[ChessOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: GardnerChessId, *, num_envs: int = ..., **options: Unpack[GardnerChessOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: AnimalShogiId, *, num_envs: int = ..., **options: Unpack[AnimalShogiOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ShogiId, *, num_envs: int = ..., **options: Unpack[ShogiOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: HexId, *, num_envs: int = ..., **options: Unpack[HexOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: BackgammonId, *, num_envs: int = ..., **options: Unpack[BackgammonOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: KuhnPokerId, *, num_envs: int = ..., **options: Unpack[KuhnPokerOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: LeducHoldemId, *, num_envs: int = ..., **options: Unpack[LeducHoldemOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: SparrowMahjongId, *, num_envs: int = ..., **options: Unpack[SparrowMahjongOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: Play2048Id, *, num_envs: int = ..., **options: Unpack[Play2048Options]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ChineseGo9x9Id, *, num_envs: int = ..., **options: Unpack[ChineseGo9x9Options]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: Go9x9Id, *, num_envs: int = ..., **options: Unpack[Go9x9Options]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ChineseGo13x13Id, *, num_envs: int = ..., **options: Unpack[ChineseGo13x13Options]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: Go13x13Id, *, num_envs: int = ..., **options: Unpack[Go13x13Options]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ChineseGo19x19Id, *, num_envs: int = ..., **options: Unpack[ChineseGo19x19Options]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: Go19x19Id, *, num_envs: int = ..., **options: Unpack[Go19x19Options]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ProcgenBigfishId, *, num_envs: int = ..., **options: Unpack[ProcgenBigfishOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ProcgenBossfightId, *, num_envs: int = ..., **options: Unpack[ProcgenBossfightOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ProcgenCaveflyerId, *, num_envs: int = ..., **options: Unpack[ProcgenCaveflyerOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ProcgenChaserId, *, num_envs: int = ..., **options: Unpack[ProcgenChaserOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ProcgenClimberId, *, num_envs: int = ..., **options: Unpack[ProcgenClimberOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ProcgenCoinrunId, *, num_envs: int = ..., **options: Unpack[ProcgenCoinrunOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ProcgenDodgeballId, *, num_envs: int = ..., **options: Unpack[ProcgenDodgeballOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ProcgenFruitbotId, *, num_envs: int = ..., **options: Unpack[ProcgenFruitbotOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ProcgenHeistId, *, num_envs: int = ..., **options: Unpack[ProcgenHeistOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ProcgenJumperId, *, num_envs: int = ..., **options: Unpack[ProcgenJumperOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ProcgenLeaperId, *, num_envs: int = ..., **options: Unpack[ProcgenLeaperOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ProcgenMazeId, *, num_envs: int = ..., **options: Unpack[ProcgenMazeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ProcgenMinerId, *, num_envs: int = ..., **options: Unpack[ProcgenMinerOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ProcgenNinjaId, *, num_envs: int = ..., **options: Unpack[ProcgenNinjaOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ProcgenPlunderId, *, num_envs: int = ..., **options: Unpack[ProcgenPlunderOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ProcgenStarpilotId, *, num_envs: int = ..., **options: Unpack[ProcgenStarpilotOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: AntId, *, num_envs: int = ..., **options: Unpack[AntOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: HalfCheetahId, *, num_envs: int = ..., **options: Unpack[HalfCheetahOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: HopperId, *, num_envs: int = ..., **options: Unpack[HopperOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: HumanoidId, *, num_envs: int = ..., **options: Unpack[HumanoidOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: HumanoidStandupId, *, num_envs: int = ..., **options: Unpack[HumanoidStandupOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: InvertedDoublePendulumId, *, num_envs: int = ..., **options: Unpack[InvertedDoublePendulumOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: InvertedPendulumId, *, num_envs: int = ..., **options: Unpack[InvertedPendulumOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: RobotsReacherId, *, num_envs: int = ..., **options: Unpack[RobotsReacherOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: RobotsSwimmerId, *, num_envs: int = ..., **options: Unpack[RobotsSwimmerOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: Walker2dOldId, *, num_envs: int = ..., **options: Unpack[Walker2dOldOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: Walker2dId, *, num_envs: int = ..., **options: Unpack[Walker2dOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: TagContinuousId, *, num_envs: int = ..., **options: Unpack[TagContinuousOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: TagGridWorldId, *, num_envs: int = ..., **options: Unpack[TagGridWorldOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: ToyTextCatchId, *, num_envs: int = ..., **options: Unpack[ToyTextCatchOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: FrozenLakeId, *, num_envs: int = ..., **options: Unpack[FrozenLakeOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: TaxiId, *, num_envs: int = ..., **options: Unpack[TaxiOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: NChainId, *, num_envs: int = ..., **options: Unpack[NChainOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: CliffWalkingId, *, num_envs: int = ..., **options: Unpack[CliffWalkingOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: BlackjackId, *, num_envs: int = ..., **options: Unpack[BlackjackOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: VizdoomId, *, num_envs: int = ..., **options: Unpack[VizdoomOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: VizdoomGymId, *, num_envs: int = ..., **options: Unpack[VizdoomGymOptions]) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_gym(task_id: str | Sequence[str], *, num_envs: int = ..., **options: Any) -> GymEnvPool | GymnasiumEnvPool: ...
@overload
def make_dm(task_id: AtariId, *, num_envs: int = ..., **options: Unpack[AtariOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: AleId, *, num_envs: int = ..., **options: Unpack[AleOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MultiplayerAtariId, *, num_envs: int = ..., **options: Unpack[MultiplayerAtariOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: LunarLanderId, *, num_envs: int = ..., **options: Unpack[LunarLanderOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: BipedalWalkerId, *, num_envs: int = ..., **options: Unpack[BipedalWalkerOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: CarRacingId, *, num_envs: int = ..., **options: Unpack[CarRacingOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: BsuiteCatchId, *, num_envs: int = ..., **options: Unpack[BsuiteCatchOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: DeepSeaId, *, num_envs: int = ..., **options: Unpack[DeepSeaOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: DiscountingChainId, *, num_envs: int = ..., **options: Unpack[DiscountingChainOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MemoryChainId, *, num_envs: int = ..., **options: Unpack[MemoryChainOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: SimpleBanditId, *, num_envs: int = ..., **options: Unpack[SimpleBanditOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: UmbrellaChainId, *, num_envs: int = ..., **options: Unpack[UmbrellaChainOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: CartPoleId, *, num_envs: int = ..., **options: Unpack[CartPoleOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: PendulumId, *, num_envs: int = ..., **options: Unpack[PendulumOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MountainCarId, *, num_envs: int = ..., **options: Unpack[MountainCarOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MountainCarContinuousId, *, num_envs: int = ..., **options: Unpack[MountainCarContinuousOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: AcrobotId, *, num_envs: int = ..., **options: Unpack[AcrobotOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: Phys2dCartPoleId, *, num_envs: int = ..., **options: Unpack[Phys2dCartPoleOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: Phys2dPendulumId, *, num_envs: int = ..., **options: Unpack[Phys2dPendulumOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: CraftaxClassicSymbolicId, *, num_envs: int = ..., **options: Unpack[CraftaxClassicSymbolicOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: CraftaxSymbolicId, *, num_envs: int = ..., **options: Unpack[CraftaxSymbolicOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: CraftaxClassicPixelsId, *, num_envs: int = ..., **options: Unpack[CraftaxClassicPixelsOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: CraftaxPixelsId, *, num_envs: int = ..., **options: Unpack[CraftaxPixelsOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: OvercookedId, *, num_envs: int = ..., **options: Unpack[OvercookedOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: HanabiId, *, num_envs: int = ..., **options: Unpack[HanabiOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: CleanerId, *, num_envs: int = ..., **options: Unpack[CleanerOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ConnectorId, *, num_envs: int = ..., **options: Unpack[ConnectorOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: Game2048Id, *, num_envs: int = ..., **options: Unpack[Game2048Options]) -> DMEnvPool: ...
@overload
def make_dm(task_id: LevelBasedForagingId, *, num_envs: int = ..., **options: Unpack[LevelBasedForagingOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: JumanjiMazeId, *, num_envs: int = ..., **options: Unpack[JumanjiMazeOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MinesweeperId, *, num_envs: int = ..., **options: Unpack[MinesweeperOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: RobotWarehouseId, *, num_envs: int = ..., **options: Unpack[RobotWarehouseOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: RubiksCubeId, *, num_envs: int = ..., **options: Unpack[RubiksCubeOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: SlidingTilePuzzleId, *, num_envs: int = ..., **options: Unpack[SlidingTilePuzzleOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: SnakeId, *, num_envs: int = ..., **options: Unpack[SnakeOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: SudokuId, *, num_envs: int = ..., **options: Unpack[SudokuOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MinAtarAsterixId, *, num_envs: int = ..., **options: Unpack[MinAtarAsterixOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MinAtarBreakoutId, *, num_envs: int = ..., **options: Unpack[MinAtarBreakoutOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MinAtarFreewayId, *, num_envs: int = ..., **options: Unpack[MinAtarFreewayOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MinAtarSeaquestId, *, num_envs: int = ..., **options: Unpack[MinAtarSeaquestOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MinAtarSpaceInvadersId, *, num_envs: int = ..., **options: Unpack[MinAtarSpaceInvadersOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridEmptyId, *, num_envs: int = ..., **options: Unpack[MiniGridEmptyOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridFourRoomsId, *, num_envs: int = ..., **options: Unpack[MiniGridFourRoomsOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridDoorKeyId, *, num_envs: int = ..., **options: Unpack[MiniGridDoorKeyOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridMultiRoomId, *, num_envs: int = ..., **options: Unpack[MiniGridMultiRoomOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridKeyCorridorId, *, num_envs: int = ..., **options: Unpack[MiniGridKeyCorridorOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridCrossingId, *, num_envs: int = ..., **options: Unpack[MiniGridCrossingOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridLavaGapId, *, num_envs: int = ..., **options: Unpack[MiniGridLavaGapOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridDynamicObstaclesId, *, num_envs: int = ..., **options: Unpack[MiniGridDynamicObstaclesOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridDistShiftId, *, num_envs: int = ..., **options: Unpack[MiniGridDistShiftOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridFetchId, *, num_envs: int = ..., **options: Unpack[MiniGridFetchOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridGoToDoorId, *, num_envs: int = ..., **options: Unpack[MiniGridGoToDoorOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridGoToObjectId, *, num_envs: int = ..., **options: Unpack[MiniGridGoToObjectOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridPutNearId, *, num_envs: int = ..., **options: Unpack[MiniGridPutNearOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridRedBlueDoorsId, *, num_envs: int = ..., **options: Unpack[MiniGridRedBlueDoorsOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridMemoryId, *, num_envs: int = ..., **options: Unpack[MiniGridMemoryOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridLockedRoomId, *, num_envs: int = ..., **options: Unpack[MiniGridLockedRoomOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridPlaygroundId, *, num_envs: int = ..., **options: Unpack[MiniGridPlaygroundOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridUnlockId, *, num_envs: int = ..., **options: Unpack[MiniGridUnlockOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridUnlockPickupId, *, num_envs: int = ..., **options: Unpack[MiniGridUnlockPickupOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiniGridObstructedMazeId, *, num_envs: int = ..., **options: Unpack[MiniGridObstructedMazeOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: BabyAIGoToId, *, num_envs: int = ..., **options: Unpack[BabyAIGoToOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: BabyAIOpenId, *, num_envs: int = ..., **options: Unpack[BabyAIOpenOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: BabyAIPickupId, *, num_envs: int = ..., **options: Unpack[BabyAIPickupOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: BabyAIPutNextId, *, num_envs: int = ..., **options: Unpack[BabyAIPutNextOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: BabyAIUnlockId, *, num_envs: int = ..., **options: Unpack[BabyAIUnlockOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: BabyAISynthId, *, num_envs: int = ..., **options: Unpack[BabyAISynthOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: FourRoomsId, *, num_envs: int = ..., **options: Unpack[FourRoomsOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MetaMazeId, *, num_envs: int = ..., **options: Unpack[MetaMazeOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: PointRobotId, *, num_envs: int = ..., **options: Unpack[PointRobotOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: BernoulliBanditId, *, num_envs: int = ..., **options: Unpack[BernoulliBanditOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: GaussianBanditId, *, num_envs: int = ..., **options: Unpack[GaussianBanditOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiscReacherId, *, num_envs: int = ..., **options: Unpack[MiscReacherOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiscSwimmerId, *, num_envs: int = ..., **options: Unpack[MiscSwimmerOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: PongId, *, num_envs: int = ..., **options: Unpack[PongOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MiscMazeId, *, num_envs: int = ..., **options: Unpack[MiscMazeOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: PusherId, *, num_envs: int = ..., **options: Unpack[PusherOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ControlSuiteId, *, num_envs: int = ..., **options: Unpack[ControlSuiteOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: MujocoId, *, num_envs: int = ..., **options: Unpack[MujocoOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: TicTacToeId, *, num_envs: int = ..., **options: Unpack[TicTacToeOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ConnectFourId, *, num_envs: int = ..., **options: Unpack[ConnectFourOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: OthelloId, *, num_envs: int = ..., **options: Unpack[OthelloOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ChessId, *, num_envs: int = ..., **options: Unpack[ChessOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: GardnerChessId, *, num_envs: int = ..., **options: Unpack[GardnerChessOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: AnimalShogiId, *, num_envs: int = ..., **options: Unpack[AnimalShogiOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ShogiId, *, num_envs: int = ..., **options: Unpack[ShogiOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: HexId, *, num_envs: int = ..., **options: Unpack[HexOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: BackgammonId, *, num_envs: int = ..., **options: Unpack[BackgammonOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: KuhnPokerId, *, num_envs: int = ..., **options: Unpack[KuhnPokerOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: LeducHoldemId, *, num_envs: int = ..., **options: Unpack[LeducHoldemOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: SparrowMahjongId, *, num_envs: int = ..., **options: Unpack[SparrowMahjongOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: Play2048Id, *, num_envs: int = ..., **options: Unpack[Play2048Options]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ChineseGo9x9Id, *, num_envs: int = ..., **options: Unpack[ChineseGo9x9Options]) -> DMEnvPool: ...
@overload
def make_dm(task_id: Go9x9Id, *, num_envs: int = ..., **options: Unpack[Go9x9Options]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ChineseGo13x13Id, *, num_envs: int = ..., **options: Unpack[ChineseGo13x13Options]) -> DMEnvPool: ...
@overload
def make_dm(task_id: Go13x13Id, *, num_envs: int = ..., **options: Unpack[Go13x13Options]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ChineseGo19x19Id, *, num_envs: int = ..., **options: Unpack[ChineseGo19x19Options]) -> DMEnvPool: ...
@overload
def make_dm(task_id: Go19x19Id, *, num_envs: int = ..., **options: Unpack[Go19x19Options]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ProcgenBigfishId, *, num_envs: int = ..., **options: Unpack[ProcgenBigfishOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ProcgenBossfightId, *, num_envs: int = ..., **options: Unpack[ProcgenBossfightOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ProcgenCaveflyerId, *, num_envs: int = ..., **options: Unpack[ProcgenCaveflyerOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ProcgenChaserId, *, num_envs: int = ..., **options: Unpack[ProcgenChaserOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ProcgenClimberId, *, num_envs: int = ..., **options: Unpack[ProcgenClimberOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ProcgenCoinrunId, *, num_envs: int = ..., **options: Unpack[ProcgenCoinrunOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ProcgenDodgeballId, *, num_envs: int = ..., **options: Unpack[ProcgenDodgeballOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ProcgenFruitbotId, *, num_envs: int = ..., **options: Unpack[ProcgenFruitbotOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ProcgenHeistId, *, num_envs: int = ..., **options: Unpack[ProcgenHeistOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ProcgenJumperId, *, num_envs: int = ..., **options: Unpack[ProcgenJumperOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ProcgenLeaperId, *, num_envs: int = ..., **options: Unpack[ProcgenLeaperOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ProcgenMazeId, *, num_envs: int = ..., **options: Unpack[ProcgenMazeOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ProcgenMinerId, *, num_envs: int = ..., **options: Unpack[ProcgenMinerOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ProcgenNinjaId, *, num_envs: int = ..., **options: Unpack[ProcgenNinjaOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ProcgenPlunderId, *, num_envs: int = ..., **options: Unpack[ProcgenPlunderOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ProcgenStarpilotId, *, num_envs: int = ..., **options: Unpack[ProcgenStarpilotOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: AntId, *, num_envs: int = ..., **options: Unpack[AntOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: HalfCheetahId, *, num_envs: int = ..., **options: Unpack[HalfCheetahOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: HopperId, *, num_envs: int = ..., **options: Unpack[HopperOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: HumanoidId, *, num_envs: int = ..., **options: Unpack[HumanoidOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: HumanoidStandupId, *, num_envs: int = ..., **options: Unpack[HumanoidStandupOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: InvertedDoublePendulumId, *, num_envs: int = ..., **options: Unpack[InvertedDoublePendulumOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: InvertedPendulumId, *, num_envs: int = ..., **options: Unpack[InvertedPendulumOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: RobotsReacherId, *, num_envs: int = ..., **options: Unpack[RobotsReacherOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: RobotsSwimmerId, *, num_envs: int = ..., **options: Unpack[RobotsSwimmerOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: Walker2dOldId, *, num_envs: int = ..., **options: Unpack[Walker2dOldOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: Walker2dId, *, num_envs: int = ..., **options: Unpack[Walker2dOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: TagContinuousId, *, num_envs: int = ..., **options: Unpack[TagContinuousOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: TagGridWorldId, *, num_envs: int = ..., **options: Unpack[TagGridWorldOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: ToyTextCatchId, *, num_envs: int = ..., **options: Unpack[ToyTextCatchOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: FrozenLakeId, *, num_envs: int = ..., **options: Unpack[FrozenLakeOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: TaxiId, *, num_envs: int = ..., **options: Unpack[TaxiOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: NChainId, *, num_envs: int = ..., **options: Unpack[NChainOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: CliffWalkingId, *, num_envs: int = ..., **options: Unpack[CliffWalkingOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: BlackjackId, *, num_envs: int = ..., **options: Unpack[BlackjackOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: VizdoomId, *, num_envs: int = ..., **options: Unpack[VizdoomOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: VizdoomGymId, *, num_envs: int = ..., **options: Unpack[VizdoomGymOptions]) -> DMEnvPool: ...
@overload
def make_dm(task_id: str | Sequence[str], *, num_envs: int = ..., **options: Any) -> DMEnvPool: ...
@overload
def make_vec(task_id: AtariId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[AtariOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: AleId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[AleOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MultiplayerAtariId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MultiplayerAtariOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: LunarLanderId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[LunarLanderOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: BipedalWalkerId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[BipedalWalkerOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: CarRacingId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[CarRacingOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: BsuiteCatchId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[BsuiteCatchOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: DeepSeaId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[DeepSeaOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: DiscountingChainId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[DiscountingChainOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MemoryChainId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MemoryChainOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: SimpleBanditId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[SimpleBanditOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: UmbrellaChainId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[UmbrellaChainOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: CartPoleId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[CartPoleOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: PendulumId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[PendulumOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MountainCarId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MountainCarOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MountainCarContinuousId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MountainCarContinuousOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: AcrobotId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[AcrobotOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: Phys2dCartPoleId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[Phys2dCartPoleOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: Phys2dPendulumId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[Phys2dPendulumOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: CraftaxClassicSymbolicId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[CraftaxClassicSymbolicOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: CraftaxSymbolicId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[CraftaxSymbolicOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: CraftaxClassicPixelsId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[CraftaxClassicPixelsOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: CraftaxPixelsId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[CraftaxPixelsOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: OvercookedId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[OvercookedOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: HanabiId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[HanabiOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: CleanerId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[CleanerOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ConnectorId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ConnectorOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: Game2048Id, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[Game2048Options]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: LevelBasedForagingId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[LevelBasedForagingOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: JumanjiMazeId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[JumanjiMazeOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MinesweeperId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MinesweeperOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: RobotWarehouseId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[RobotWarehouseOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: RubiksCubeId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[RubiksCubeOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: SlidingTilePuzzleId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[SlidingTilePuzzleOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: SnakeId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[SnakeOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: SudokuId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[SudokuOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MinAtarAsterixId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MinAtarAsterixOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MinAtarBreakoutId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MinAtarBreakoutOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MinAtarFreewayId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MinAtarFreewayOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MinAtarSeaquestId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MinAtarSeaquestOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MinAtarSpaceInvadersId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MinAtarSpaceInvadersOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridEmptyId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridEmptyOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridFourRoomsId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridFourRoomsOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridDoorKeyId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridDoorKeyOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridMultiRoomId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridMultiRoomOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridKeyCorridorId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridKeyCorridorOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridCrossingId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridCrossingOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridLavaGapId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridLavaGapOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridDynamicObstaclesId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridDynamicObstaclesOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridDistShiftId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridDistShiftOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridFetchId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridFetchOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridGoToDoorId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridGoToDoorOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridGoToObjectId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridGoToObjectOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridPutNearId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridPutNearOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridRedBlueDoorsId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridRedBlueDoorsOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridMemoryId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridMemoryOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridLockedRoomId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridLockedRoomOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridPlaygroundId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridPlaygroundOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridUnlockId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridUnlockOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridUnlockPickupId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridUnlockPickupOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiniGridObstructedMazeId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiniGridObstructedMazeOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: BabyAIGoToId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[BabyAIGoToOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: BabyAIOpenId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[BabyAIOpenOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: BabyAIPickupId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[BabyAIPickupOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: BabyAIPutNextId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[BabyAIPutNextOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: BabyAIUnlockId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[BabyAIUnlockOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: BabyAISynthId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[BabyAISynthOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: FourRoomsId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[FourRoomsOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MetaMazeId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MetaMazeOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: PointRobotId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[PointRobotOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: BernoulliBanditId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[BernoulliBanditOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: GaussianBanditId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[GaussianBanditOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiscReacherId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiscReacherOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiscSwimmerId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiscSwimmerOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: PongId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[PongOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MiscMazeId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MiscMazeOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: PusherId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[PusherOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ControlSuiteId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ControlSuiteOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: MujocoId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[MujocoOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: TicTacToeId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[TicTacToeOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ConnectFourId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ConnectFourOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: OthelloId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[OthelloOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ChessId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ChessOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: GardnerChessId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[GardnerChessOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: AnimalShogiId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[AnimalShogiOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ShogiId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ShogiOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: HexId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[HexOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: BackgammonId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[BackgammonOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: KuhnPokerId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[KuhnPokerOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: LeducHoldemId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[LeducHoldemOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: SparrowMahjongId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[SparrowMahjongOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: Play2048Id, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[Play2048Options]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ChineseGo9x9Id, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ChineseGo9x9Options]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: Go9x9Id, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[Go9x9Options]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ChineseGo13x13Id, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ChineseGo13x13Options]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: Go13x13Id, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[Go13x13Options]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ChineseGo19x19Id, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ChineseGo19x19Options]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: Go19x19Id, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[Go19x19Options]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ProcgenBigfishId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ProcgenBigfishOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ProcgenBossfightId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ProcgenBossfightOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ProcgenCaveflyerId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ProcgenCaveflyerOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ProcgenChaserId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ProcgenChaserOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ProcgenClimberId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ProcgenClimberOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ProcgenCoinrunId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ProcgenCoinrunOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ProcgenDodgeballId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ProcgenDodgeballOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ProcgenFruitbotId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ProcgenFruitbotOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ProcgenHeistId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ProcgenHeistOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ProcgenJumperId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ProcgenJumperOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ProcgenLeaperId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ProcgenLeaperOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ProcgenMazeId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ProcgenMazeOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ProcgenMinerId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ProcgenMinerOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ProcgenNinjaId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ProcgenNinjaOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ProcgenPlunderId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ProcgenPlunderOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ProcgenStarpilotId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ProcgenStarpilotOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: AntId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[AntOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: HalfCheetahId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[HalfCheetahOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: HopperId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[HopperOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: HumanoidId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[HumanoidOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: HumanoidStandupId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[HumanoidStandupOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: InvertedDoublePendulumId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[InvertedDoublePendulumOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: InvertedPendulumId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[InvertedPendulumOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: RobotsReacherId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[RobotsReacherOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: RobotsSwimmerId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[RobotsSwimmerOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: Walker2dOldId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[Walker2dOldOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: Walker2dId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[Walker2dOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: TagContinuousId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[TagContinuousOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: TagGridWorldId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[TagGridWorldOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: ToyTextCatchId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[ToyTextCatchOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: FrozenLakeId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[FrozenLakeOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: TaxiId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[TaxiOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: NChainId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[NChainOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: CliffWalkingId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[CliffWalkingOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: BlackjackId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[BlackjackOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: VizdoomId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[VizdoomOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: VizdoomGymId, num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Unpack[VizdoomGymOptions]) -> GymnasiumVectorEnv: ...
@overload
def make_vec(task_id: str | Sequence[str], num_envs: int = ..., *, dtypes: Literal["envpool", "gymnasium"] = ..., **options: Any) -> GymnasiumVectorEnv: ...
@overload
def make_spec(task_id: AtariId, *, num_envs: int = ..., **options: Unpack[AtariOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: AleId, *, num_envs: int = ..., **options: Unpack[AleOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MultiplayerAtariId, *, num_envs: int = ..., **options: Unpack[MultiplayerAtariOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: LunarLanderId, *, num_envs: int = ..., **options: Unpack[LunarLanderOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: BipedalWalkerId, *, num_envs: int = ..., **options: Unpack[BipedalWalkerOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: CarRacingId, *, num_envs: int = ..., **options: Unpack[CarRacingOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: BsuiteCatchId, *, num_envs: int = ..., **options: Unpack[BsuiteCatchOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: DeepSeaId, *, num_envs: int = ..., **options: Unpack[DeepSeaOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: DiscountingChainId, *, num_envs: int = ..., **options: Unpack[DiscountingChainOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MemoryChainId, *, num_envs: int = ..., **options: Unpack[MemoryChainOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: SimpleBanditId, *, num_envs: int = ..., **options: Unpack[SimpleBanditOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: UmbrellaChainId, *, num_envs: int = ..., **options: Unpack[UmbrellaChainOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: CartPoleId, *, num_envs: int = ..., **options: Unpack[CartPoleOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: PendulumId, *, num_envs: int = ..., **options: Unpack[PendulumOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MountainCarId, *, num_envs: int = ..., **options: Unpack[MountainCarOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MountainCarContinuousId, *, num_envs: int = ..., **options: Unpack[MountainCarContinuousOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: AcrobotId, *, num_envs: int = ..., **options: Unpack[AcrobotOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: Phys2dCartPoleId, *, num_envs: int = ..., **options: Unpack[Phys2dCartPoleOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: Phys2dPendulumId, *, num_envs: int = ..., **options: Unpack[Phys2dPendulumOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: CraftaxClassicSymbolicId, *, num_envs: int = ..., **options: Unpack[CraftaxClassicSymbolicOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: CraftaxSymbolicId, *, num_envs: int = ..., **options: Unpack[CraftaxSymbolicOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: CraftaxClassicPixelsId, *, num_envs: int = ..., **options: Unpack[CraftaxClassicPixelsOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: CraftaxPixelsId, *, num_envs: int = ..., **options: Unpack[CraftaxPixelsOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: OvercookedId, *, num_envs: int = ..., **options: Unpack[OvercookedOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: HanabiId, *, num_envs: int = ..., **options: Unpack[HanabiOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: CleanerId, *, num_envs: int = ..., **options: Unpack[CleanerOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ConnectorId, *, num_envs: int = ..., **options: Unpack[ConnectorOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: Game2048Id, *, num_envs: int = ..., **options: Unpack[Game2048Options]) -> EnvSpec: ...
@overload
def make_spec(task_id: LevelBasedForagingId, *, num_envs: int = ..., **options: Unpack[LevelBasedForagingOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: JumanjiMazeId, *, num_envs: int = ..., **options: Unpack[JumanjiMazeOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MinesweeperId, *, num_envs: int = ..., **options: Unpack[MinesweeperOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: RobotWarehouseId, *, num_envs: int = ..., **options: Unpack[RobotWarehouseOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: RubiksCubeId, *, num_envs: int = ..., **options: Unpack[RubiksCubeOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: SlidingTilePuzzleId, *, num_envs: int = ..., **options: Unpack[SlidingTilePuzzleOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: SnakeId, *, num_envs: int = ..., **options: Unpack[SnakeOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: SudokuId, *, num_envs: int = ..., **options: Unpack[SudokuOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MinAtarAsterixId, *, num_envs: int = ..., **options: Unpack[MinAtarAsterixOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MinAtarBreakoutId, *, num_envs: int = ..., **options: Unpack[MinAtarBreakoutOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MinAtarFreewayId, *, num_envs: int = ..., **options: Unpack[MinAtarFreewayOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MinAtarSeaquestId, *, num_envs: int = ..., **options: Unpack[MinAtarSeaquestOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MinAtarSpaceInvadersId, *, num_envs: int = ..., **options: Unpack[MinAtarSpaceInvadersOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridEmptyId, *, num_envs: int = ..., **options: Unpack[MiniGridEmptyOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridFourRoomsId, *, num_envs: int = ..., **options: Unpack[MiniGridFourRoomsOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridDoorKeyId, *, num_envs: int = ..., **options: Unpack[MiniGridDoorKeyOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridMultiRoomId, *, num_envs: int = ..., **options: Unpack[MiniGridMultiRoomOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridKeyCorridorId, *, num_envs: int = ..., **options: Unpack[MiniGridKeyCorridorOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridCrossingId, *, num_envs: int = ..., **options: Unpack[MiniGridCrossingOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridLavaGapId, *, num_envs: int = ..., **options: Unpack[MiniGridLavaGapOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridDynamicObstaclesId, *, num_envs: int = ..., **options: Unpack[MiniGridDynamicObstaclesOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridDistShiftId, *, num_envs: int = ..., **options: Unpack[MiniGridDistShiftOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridFetchId, *, num_envs: int = ..., **options: Unpack[MiniGridFetchOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridGoToDoorId, *, num_envs: int = ..., **options: Unpack[MiniGridGoToDoorOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridGoToObjectId, *, num_envs: int = ..., **options: Unpack[MiniGridGoToObjectOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridPutNearId, *, num_envs: int = ..., **options: Unpack[MiniGridPutNearOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridRedBlueDoorsId, *, num_envs: int = ..., **options: Unpack[MiniGridRedBlueDoorsOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridMemoryId, *, num_envs: int = ..., **options: Unpack[MiniGridMemoryOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridLockedRoomId, *, num_envs: int = ..., **options: Unpack[MiniGridLockedRoomOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridPlaygroundId, *, num_envs: int = ..., **options: Unpack[MiniGridPlaygroundOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridUnlockId, *, num_envs: int = ..., **options: Unpack[MiniGridUnlockOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridUnlockPickupId, *, num_envs: int = ..., **options: Unpack[MiniGridUnlockPickupOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiniGridObstructedMazeId, *, num_envs: int = ..., **options: Unpack[MiniGridObstructedMazeOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: BabyAIGoToId, *, num_envs: int = ..., **options: Unpack[BabyAIGoToOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: BabyAIOpenId, *, num_envs: int = ..., **options: Unpack[BabyAIOpenOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: BabyAIPickupId, *, num_envs: int = ..., **options: Unpack[BabyAIPickupOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: BabyAIPutNextId, *, num_envs: int = ..., **options: Unpack[BabyAIPutNextOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: BabyAIUnlockId, *, num_envs: int = ..., **options: Unpack[BabyAIUnlockOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: BabyAISynthId, *, num_envs: int = ..., **options: Unpack[BabyAISynthOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: FourRoomsId, *, num_envs: int = ..., **options: Unpack[FourRoomsOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MetaMazeId, *, num_envs: int = ..., **options: Unpack[MetaMazeOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: PointRobotId, *, num_envs: int = ..., **options: Unpack[PointRobotOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: BernoulliBanditId, *, num_envs: int = ..., **options: Unpack[BernoulliBanditOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: GaussianBanditId, *, num_envs: int = ..., **options: Unpack[GaussianBanditOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiscReacherId, *, num_envs: int = ..., **options: Unpack[MiscReacherOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiscSwimmerId, *, num_envs: int = ..., **options: Unpack[MiscSwimmerOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: PongId, *, num_envs: int = ..., **options: Unpack[PongOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MiscMazeId, *, num_envs: int = ..., **options: Unpack[MiscMazeOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: PusherId, *, num_envs: int = ..., **options: Unpack[PusherOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ControlSuiteId, *, num_envs: int = ..., **options: Unpack[ControlSuiteOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: MujocoId, *, num_envs: int = ..., **options: Unpack[MujocoOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: TicTacToeId, *, num_envs: int = ..., **options: Unpack[TicTacToeOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ConnectFourId, *, num_envs: int = ..., **options: Unpack[ConnectFourOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: OthelloId, *, num_envs: int = ..., **options: Unpack[OthelloOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ChessId, *, num_envs: int = ..., **options: Unpack[ChessOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: GardnerChessId, *, num_envs: int = ..., **options: Unpack[GardnerChessOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: AnimalShogiId, *, num_envs: int = ..., **options: Unpack[AnimalShogiOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ShogiId, *, num_envs: int = ..., **options: Unpack[ShogiOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: HexId, *, num_envs: int = ..., **options: Unpack[HexOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: BackgammonId, *, num_envs: int = ..., **options: Unpack[BackgammonOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: KuhnPokerId, *, num_envs: int = ..., **options: Unpack[KuhnPokerOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: LeducHoldemId, *, num_envs: int = ..., **options: Unpack[LeducHoldemOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: SparrowMahjongId, *, num_envs: int = ..., **options: Unpack[SparrowMahjongOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: Play2048Id, *, num_envs: int = ..., **options: Unpack[Play2048Options]) -> EnvSpec: ...
@overload
def make_spec(task_id: ChineseGo9x9Id, *, num_envs: int = ..., **options: Unpack[ChineseGo9x9Options]) -> EnvSpec: ...
@overload
def make_spec(task_id: Go9x9Id, *, num_envs: int = ..., **options: Unpack[Go9x9Options]) -> EnvSpec: ...
@overload
def make_spec(task_id: ChineseGo13x13Id, *, num_envs: int = ..., **options: Unpack[ChineseGo13x13Options]) -> EnvSpec: ...
@overload
def make_spec(task_id: Go13x13Id, *, num_envs: int = ..., **options: Unpack[Go13x13Options]) -> EnvSpec: ...
@overload
def make_spec(task_id: ChineseGo19x19Id, *, num_envs: int = ..., **options: Unpack[ChineseGo19x19Options]) -> EnvSpec: ...
@overload
def make_spec(task_id: Go19x19Id, *, num_envs: int = ..., **options: Unpack[Go19x19Options]) -> EnvSpec: ...
@overload
def make_spec(task_id: ProcgenBigfishId, *, num_envs: int = ..., **options: Unpack[ProcgenBigfishOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ProcgenBossfightId, *, num_envs: int = ..., **options: Unpack[ProcgenBossfightOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ProcgenCaveflyerId, *, num_envs: int = ..., **options: Unpack[ProcgenCaveflyerOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ProcgenChaserId, *, num_envs: int = ..., **options: Unpack[ProcgenChaserOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ProcgenClimberId, *, num_envs: int = ..., **options: Unpack[ProcgenClimberOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ProcgenCoinrunId, *, num_envs: int = ..., **options: Unpack[ProcgenCoinrunOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ProcgenDodgeballId, *, num_envs: int = ..., **options: Unpack[ProcgenDodgeballOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ProcgenFruitbotId, *, num_envs: int = ..., **options: Unpack[ProcgenFruitbotOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ProcgenHeistId, *, num_envs: int = ..., **options: Unpack[ProcgenHeistOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ProcgenJumperId, *, num_envs: int = ..., **options: Unpack[ProcgenJumperOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ProcgenLeaperId, *, num_envs: int = ..., **options: Unpack[ProcgenLeaperOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ProcgenMazeId, *, num_envs: int = ..., **options: Unpack[ProcgenMazeOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ProcgenMinerId, *, num_envs: int = ..., **options: Unpack[ProcgenMinerOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ProcgenNinjaId, *, num_envs: int = ..., **options: Unpack[ProcgenNinjaOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ProcgenPlunderId, *, num_envs: int = ..., **options: Unpack[ProcgenPlunderOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ProcgenStarpilotId, *, num_envs: int = ..., **options: Unpack[ProcgenStarpilotOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: AntId, *, num_envs: int = ..., **options: Unpack[AntOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: HalfCheetahId, *, num_envs: int = ..., **options: Unpack[HalfCheetahOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: HopperId, *, num_envs: int = ..., **options: Unpack[HopperOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: HumanoidId, *, num_envs: int = ..., **options: Unpack[HumanoidOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: HumanoidStandupId, *, num_envs: int = ..., **options: Unpack[HumanoidStandupOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: InvertedDoublePendulumId, *, num_envs: int = ..., **options: Unpack[InvertedDoublePendulumOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: InvertedPendulumId, *, num_envs: int = ..., **options: Unpack[InvertedPendulumOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: RobotsReacherId, *, num_envs: int = ..., **options: Unpack[RobotsReacherOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: RobotsSwimmerId, *, num_envs: int = ..., **options: Unpack[RobotsSwimmerOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: Walker2dOldId, *, num_envs: int = ..., **options: Unpack[Walker2dOldOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: Walker2dId, *, num_envs: int = ..., **options: Unpack[Walker2dOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: TagContinuousId, *, num_envs: int = ..., **options: Unpack[TagContinuousOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: TagGridWorldId, *, num_envs: int = ..., **options: Unpack[TagGridWorldOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: ToyTextCatchId, *, num_envs: int = ..., **options: Unpack[ToyTextCatchOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: FrozenLakeId, *, num_envs: int = ..., **options: Unpack[FrozenLakeOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: TaxiId, *, num_envs: int = ..., **options: Unpack[TaxiOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: NChainId, *, num_envs: int = ..., **options: Unpack[NChainOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: CliffWalkingId, *, num_envs: int = ..., **options: Unpack[CliffWalkingOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: BlackjackId, *, num_envs: int = ..., **options: Unpack[BlackjackOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: VizdoomId, *, num_envs: int = ..., **options: Unpack[VizdoomOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: VizdoomGymId, *, num_envs: int = ..., **options: Unpack[VizdoomGymOptions]) -> EnvSpec: ...
@overload
def make_spec(task_id: str | Sequence[str], *, num_envs: int = ..., **options: Any) -> EnvSpec: ...
