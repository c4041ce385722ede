"""What the agent says: frozen plain data, each with the one way it changes what a person sees
(`apply`).

`settled` events are appended to the session's log before anything that depends on them happens; the
others are
deltas of something that a settled event will say whole. The law under test: folding all events, or
only the settled
ones, ends in the same transcript.
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_tui.protocol.event import Event as Event
from agent_tui.protocol.event import Restored as Restored
from agent_tui.protocol.event import Unknown as Unknown
from agent_tui.protocol.session_events import Answered as Answered
from agent_tui.protocol.session_events import Cleared as Cleared
from agent_tui.protocol.session_events import DirectoriesChanged as DirectoriesChanged
from agent_tui.protocol.session_events import Directory as Directory
from agent_tui.protocol.session_events import DraftSaved as DraftSaved
from agent_tui.protocol.session_events import EffortChanged as EffortChanged
from agent_tui.protocol.session_events import ErrorRaised as ErrorRaised
from agent_tui.protocol.session_events import FilesRestored as FilesRestored
from agent_tui.protocol.session_events import Forked as Forked
from agent_tui.protocol.session_events import InViewChanged as InViewChanged
from agent_tui.protocol.session_events import Labelled as Labelled
from agent_tui.protocol.session_events import ModeChanged as ModeChanged
from agent_tui.protocol.session_events import ModelChanged as ModelChanged
from agent_tui.protocol.session_events import Notice as Notice
from agent_tui.protocol.session_events import PlaceKept as PlaceKept
from agent_tui.protocol.session_events import QueueChanged as QueueChanged
from agent_tui.protocol.session_events import RestoreStarted as RestoreStarted
from agent_tui.protocol.session_events import Rewound as Rewound
from agent_tui.protocol.session_events import SandboxFound as SandboxFound
from agent_tui.protocol.session_events import SavingChanged as SavingChanged
from agent_tui.protocol.session_events import SessionStarted as SessionStarted
from agent_tui.protocol.session_events import Titled as Titled
from agent_tui.protocol.session_events import TodoChanged as TodoChanged
from agent_tui.protocol.session_events import UndoLimited as UndoLimited
from agent_tui.protocol.tool_events import AllowanceRevoked as AllowanceRevoked
from agent_tui.protocol.tool_events import ApprovalAnswered as ApprovalAnswered
from agent_tui.protocol.tool_events import ApprovalAsked as ApprovalAsked
from agent_tui.protocol.tool_events import ChangesStarted as ChangesStarted
from agent_tui.protocol.tool_events import FileChanged as FileChanged
from agent_tui.protocol.tool_events import JobChanged as JobChanged
from agent_tui.protocol.tool_events import QuestionAnswered as QuestionAnswered
from agent_tui.protocol.tool_events import QuestionAsked as QuestionAsked
from agent_tui.protocol.tool_events import ShellEnded as ShellEnded
from agent_tui.protocol.tool_events import ShellStarted as ShellStarted
from agent_tui.protocol.tool_events import ToolEnded as ToolEnded
from agent_tui.protocol.tool_events import ToolOutput as ToolOutput
from agent_tui.protocol.tool_events import ToolStarted as ToolStarted
from agent_tui.protocol.transcript import Transcript
from agent_tui.protocol.turn_events import AsideDelta as AsideDelta
from agent_tui.protocol.turn_events import AsideEnded as AsideEnded
from agent_tui.protocol.turn_events import AssistantReplied as AssistantReplied
from agent_tui.protocol.turn_events import Compacted as Compacted
from agent_tui.protocol.turn_events import CompactionStarted as CompactionStarted
from agent_tui.protocol.turn_events import CompactionStopped as CompactionStopped
from agent_tui.protocol.turn_events import CompactionUndone as CompactionUndone
from agent_tui.protocol.turn_events import ContextBuilt as ContextBuilt
from agent_tui.protocol.turn_events import ContextTold as ContextTold
from agent_tui.protocol.turn_events import Partial as Partial
from agent_tui.protocol.turn_events import RequestFailed as RequestFailed
from agent_tui.protocol.turn_events import RequestSent as RequestSent
from agent_tui.protocol.turn_events import ResultsFolded as ResultsFolded
from agent_tui.protocol.turn_events import Retrying as Retrying
from agent_tui.protocol.turn_events import SteerSeen as SteerSeen
from agent_tui.protocol.turn_events import StepStarted as StepStarted
from agent_tui.protocol.turn_events import TextDelta as TextDelta
from agent_tui.protocol.turn_events import ThinkingDelta as ThinkingDelta
from agent_tui.protocol.turn_events import ToolArgsDelta as ToolArgsDelta
from agent_tui.protocol.turn_events import TurnEnded as TurnEnded
from agent_tui.protocol.turn_events import TurnStarted as TurnStarted
from agent_tui.protocol.turn_events import UsageReported as UsageReported

AnyEvent = (
    SessionStarted
    | Cleared
    | ModeChanged
    | ModelChanged
    | QueueChanged
    | DraftSaved
    | PlaceKept
    | Answered
    | Notice
    | ErrorRaised
    | TurnStarted
    | StepStarted
    | ContextBuilt
    | ContextTold
    | RequestSent
    | SteerSeen
    | TextDelta
    | ThinkingDelta
    | ToolArgsDelta
    | EffortChanged
    | TodoChanged
    | DirectoriesChanged
    | InViewChanged
    | RequestFailed
    | Partial
    | AssistantReplied
    | UsageReported
    | Retrying
    | TurnEnded
    | ApprovalAsked
    | ApprovalAnswered
    | AllowanceRevoked
    | QuestionAsked
    | QuestionAnswered
    | ToolStarted
    | ToolOutput
    | ChangesStarted
    | FileChanged
    | ToolEnded
    | ShellStarted
    | ShellEnded
    | SandboxFound
    | SavingChanged
    | AsideDelta
    | AsideEnded
    | Titled
    | Labelled
    | Rewound
    | Forked
    | RestoreStarted
    | FilesRestored
    | UndoLimited
    | JobChanged
    | CompactionStarted
    | CompactionStopped
    | Compacted
    | CompactionUndone
    | ResultsFolded
)


def fold(events: Iterable[Event], start: Transcript | None = None) -> Transcript:
    """What a person sees after `events`."""
    transcript = start or Transcript()
    for event in events:
        transcript = event.apply(transcript)
    return transcript
