"""Speech to text by any endpoint that has OpenAI's `POST {base_url}/audio/transcriptions`.

In a module of its own because importing an HTTP client takes a tenth of a second.
"""

from __future__ import annotations

import base64
from typing import Any

import httpx

from manole.errors import ModelError

_NO_SPEECH = 0.6  # Whisper's own: above it, with words that are unlikely, nobody speaks
_ITS_OWN = {401, 402, 403, 404, 405, 407, 408, 425, 429}  # refusals that are not about the sound
_UNLIKELY = -1.0  # mean logarithm of the words' chances


class VoiceEndpoint:
    """A server that writes down sound."""

    def __init__(self, model: str, url: str, key: str | None, timeout_s: float) -> None:
        self._model = model
        self._url = f"{url}/audio/transcriptions"
        self._client = httpx.AsyncClient(
            timeout=httpx.Timeout(timeout_s, connect=5.0),
            trust_env=False,  # sound goes to the address that was set, through nobody's proxy
            headers={"Authorization": f"Bearer {key}"} if key else {},
        )

    async def transcribe(self, wav: str, start: float, language: str) -> dict[str, Any]:
        """The `segments` of `wav` (base64), which begins at second `start`, and the `language`.

        `{"reason"}` where it does not take this sound. Raises `ModelError` where the endpoint
        itself is at fault.
        """
        asked = {"model": self._model, "response_format": "verbose_json", "temperature": "0"}
        try:
            sound = base64.b64decode(wav, validate=True)
            response = await self._client.post(
                self._url,
                data=asked | ({"language": language} if language else {}),
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
            said = f"{error}" or type(error).__name__
            if isinstance(error, httpx.HTTPStatusError):
                said = f"HTTP {error.response.status_code}: {error.response.text[:200]}"
            raise self._failed(said) from None
        except (KeyError, TypeError, ValueError, AttributeError):
            return {"reason": "the speech model gave no sensible answer"}
        return {"segments": segments, "language": spoken[:40].lower()}

    def _failed(self, said: str) -> ModelError:
        return ModelError(
            f"The speech endpoint {self._url} failed: {said}.",
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
