"""Speech to text through any endpoint with OpenAI's `POST {base_url}/audio/transcriptions`.

This is a module of its own because importing an HTTP client takes a tenth of a second.
"""

from __future__ import annotations

import base64
from typing import Any

import httpx

from manole.errors import ModelError
from manole.models.endpoints import CONNECT_S

# A segment is silence above this `no_speech_prob` and below this `avg_logprob`: the defaults of
# OpenAI's Whisper (`no_speech_threshold`, `logprob_threshold` in whisper/transcribe.py).
_NO_SPEECH, _UNLIKELY = 0.6, -1.0
_SECONDS = 900.0  # that two minutes of speech may take; set by hand
_ITS_OWN = {401, 402, 403, 404, 405, 407, 408, 425, 429}  # refusals that are not about the sound


class VoiceEndpoint:
    """A server that transcribes speech."""

    def __init__(self, model: str, url: str, key: str | None) -> None:
        self._model = model
        self._url = f"{url}/audio/transcriptions"
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(_SECONDS, connect=CONNECT_S),
            trust_env=False,  # sound goes to the address that was set, through nobody's proxy
            headers={"Authorization": f"Bearer {key}"} if key else {},
        )

    async def transcribe(self, wav: str, start: float, language: str) -> dict[str, Any]:
        """Return the `segments` of `wav` (base64), which begins at second `start`, and `language`.

        Returns `{"reason"}` if the model refuses this sound. Raises `ModelError` if the endpoint
        itself is at fault.
        """
        fields = {"model": self._model, "response_format": "verbose_json", "temperature": "0"}
        try:
            sound = base64.b64decode(wav, validate=True)
            response = await self._client.post(
                self._url,
                data=fields | ({"language": language} if language else {}),
                files={"file": ("sound.wav", sound, "audio/wav")},
            )
            status = response.status_code
            if 400 <= status < 500 and status not in _ITS_OWN:
                return {"reason": f"the speech model refused it (HTTP {status})"}
            response.raise_for_status()
            answer = response.json()
            if isinstance(answer, dict) and "segments" not in answer:
                raise self._failed("its answer has no segments with times (verbose_json)")
            segments = [
                [start + float(part["start"]), start + float(part["end"]), str(part["text"])]
                for part in answer["segments"]
                if not _is_silence(part)
            ]
            spoken = str(answer.get("language") or "")
        except httpx.HTTPError as error:
            detail = str(error) or type(error).__name__
            if isinstance(error, httpx.HTTPStatusError):
                detail = f"HTTP {error.response.status_code}: {error.response.text[:200]}"
            raise self._failed(detail) from None
        except (KeyError, TypeError, ValueError, AttributeError):
            return {"reason": "the speech model gave no sensible answer"}
        return {"segments": segments, "language": spoken[:40].lower()}

    def _failed(self, detail: str) -> ModelError:
        return ModelError(
            f"The speech endpoint {self._url} failed: {detail}.",
            "Check that it runs, voice.base_url, and the model's name in voice.name.",
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def _is_silence(part: dict[str, Any]) -> bool:
    return (
        float(part.get("no_speech_prob") or 0) > _NO_SPEECH
        and float(part.get("avg_logprob") or 0) < _UNLIKELY
    )
