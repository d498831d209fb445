# The exports of `mailberth`: clients of the service for programs with and without asyncio, their errors, and verification
# of webhook deliveries.
from . import models
from .client import AsyncMailberth, Mailberth
from .core import MailberthError, Wait
from .webhooks import WebhookVerificationError, verify_webhook

__all__ = [
    "AsyncMailberth",
    "Mailberth",
    "MailberthError",
    "Wait",
    "WebhookVerificationError",
    "models",
    "verify_webhook",
]
