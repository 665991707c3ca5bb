"""Questions about threads of mail: who answered what, who has not, what was said in turn."""

from manole.agent.mail.answer import MAIL, TellMail, mail_asked

__all__ = ["MAIL", "TellMail", "mail_asked"]
