"""A small window that answers questions about a folder: `python examples/desktop/app.py FOLDER`.

It shows what a desktop application does with `manole stdio`: it starts it as a child, asks, shows
steps and tokens as they come, and opens the files that an answer cites.
"""

from __future__ import annotations

import queue
import sys
import tkinter as tk
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from tkinter import filedialog, font, ttk
from typing import Any

from client import AnswerError, Asked, Client, manole
from opening import locate, open_file
from wording import progress_line, source_line, step_line

PAPER, INK, FAINT, ACCENT, FIELD = "#faf8f5", "#26231f", "#8b8378", "#8c3b2e", "#ffffff"
SOURCES = 12  # shown below an answer
EVERY = 30  # milliseconds between two looks at what the server said


class Window:
    """The window and its one server."""

    def __init__(self, root: tk.Tk, folder: str) -> None:
        self.root = root
        self.folders = [folder]
        self.asked: Asked | None = None
        self.conversation: str | None = None
        self.todo: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._links = 0
        self._build(folder)
        self.client = Client(manole(folder), self._later(self.heard))
        self._begin_conversation()
        root.protocol("WM_DELETE_WINDOW", self.close)
        root.after(EVERY, self._work)

    # The parts ---------------------------------------------------------------------------------

    def _build(self, folder: str) -> None:
        self.root.title(f"Manole · {Path(folder).name}")
        self.root.geometry("820x680")
        self.root.minsize(480, 320)
        self.root.configure(background=PAPER)
        self._style()
        self._foot()
        self._head()
        self._page()

    def _style(self) -> None:
        size = 11 if sys.platform != "darwin" else 14
        font.nametofont("TkDefaultFont").configure(size=size)
        font.nametofont("TkTextFont").configure(size=size + 1)
        style = ttk.Style(self.root)
        style.theme_use("clam")
        style.configure(".", background=PAPER, foreground=INK, borderwidth=0)
        style.configure("TEntry", fieldbackground=FIELD, bordercolor="#d9d2c7", padding=8)
        style.map("TEntry", bordercolor=[("focus", ACCENT)], lightcolor=[("focus", ACCENT)])
        style.configure("TButton", background=ACCENT, foreground=FIELD, padding=(18, 8))
        style.map("TButton", background=[("active", "#a34a3b"), ("disabled", "#cfc6ba")])
        style.configure("Foot.TLabel", foreground=FAINT)
        style.configure(
            "TProgressbar", background=ACCENT, troughcolor="#ece6dc", thickness=4, borderwidth=0
        )

    def _head(self) -> None:
        head = ttk.Frame(self.root, padding=(20, 18, 20, 8))
        head.pack(side="top", fill="x")
        self.question = tk.StringVar()
        self.field = ttk.Entry(head, textvariable=self.question, font="TkTextFont")
        self.field.pack(side="left", fill="x", expand=True)
        self.field.bind("<Return>", lambda _: self.ask())
        self.field.bind("<Escape>", lambda _: self.stop())
        self.button = ttk.Button(head, text="Ask", command=self.ask_or_stop)
        self.button.pack(side="left", padx=(10, 0))
        self.field.focus_set()

    def _page(self) -> None:
        frame = ttk.Frame(self.root, padding=(20, 4, 8, 4))
        frame.pack(side="top", fill="both", expand=True)
        self.page = tk.Text(
            frame, wrap="word", state="disabled", font="TkTextFont", background=PAPER,
            foreground=INK, borderwidth=0, highlightthickness=0, spacing2=3, spacing3=3,
            padx=4, cursor="arrow",
        )  # fmt: skip
        bar = ttk.Scrollbar(frame, command=self.page.yview)
        self.page.configure(yscrollcommand=bar.set)
        bar.pack(side="right", fill="y")
        self.page.pack(side="left", fill="both", expand=True)
        bold = font.nametofont("TkTextFont").copy()
        bold.configure(weight="bold")
        self._bold = bold  # Tk forgets a font that nobody keeps
        self.page.tag_configure("question", font=bold, spacing1=18)
        self.page.tag_configure("step", foreground=FAINT, lmargin1=14, lmargin2=14)
        self.page.tag_configure("quote", foreground=FAINT, lmargin1=34, lmargin2=34)
        self.page.tag_configure("source", foreground=ACCENT, lmargin1=14, lmargin2=34)
        self.page.tag_configure("failure", foreground=ACCENT)

    def _foot(self) -> None:
        foot = ttk.Frame(self.root, padding=(20, 6, 20, 12))
        foot.pack(side="bottom", fill="x")
        self.foot = ttk.Label(foot, text="Starting …", style="Foot.TLabel")
        self.foot.pack(side="left")
        self.bar = ttk.Progressbar(foot, length=160)

    # Asking -----------------------------------------------------------------------------------

    def ask_or_stop(self) -> None:
        """What the button does."""
        if self.asked:
            self.stop()
        else:
            self.ask()

    def ask(self) -> None:
        """Send what stands in the field."""
        text = self.question.get().strip()
        if not text or self.asked:
            return
        self.question.set("")
        self.button.configure(text="Stop")
        self.write(f"{text}\n", "question")
        params: dict[str, Any] = {"text": text}
        if self.conversation:
            params["conversation"] = self.conversation
        self.page.mark_set("answer", "end-1c")
        self.page.mark_gravity("answer", "left")
        self.asked = self.client.request("query", self._later(self.heard_of_answer), **params)
        self.asked.answer.add_done_callback(self._later(self.answered))

    def stop(self) -> None:
        """Cancel the question that is being answered."""
        if self.asked:
            self.client.cancel(self.asked)

    def heard_of_answer(self, type: str, data: dict[str, Any]) -> None:
        """Show a step or a piece of the answer."""
        if type == "token":
            self.write(data["text"])
        elif type == "progress":
            self.heard(type, data)
        elif line := step_line(type, data):
            self.step(line)

    def answered(self, future: Future[dict[str, Any]]) -> None:
        """Put the final answer in the place of its tokens, and the sources below it."""
        self.asked = None
        self.button.configure(text="Ask")
        try:
            result = future.result()
        except AnswerError as failure:
            told = "Stopped." if failure.code == "cancelled" else str(failure)
            self.write(f"\n{told}\n", "failure")
            return
        self.page.configure(state="normal")
        self.page.delete("answer", "end-1c")
        self.page.configure(state="disabled")
        self.write(f"{result['answer']}\n")
        for source in result["sources"][:SOURCES]:
            self.source(source)
        if (more := len(result["sources"]) - SOURCES) > 0:
            self.write(f"and {more} more\n", "step")

    def step(self, line: str) -> None:
        """A step, above what is written of the answer."""
        self.page.configure(state="normal")
        self.page.mark_gravity("answer", "right")  # so that the mark moves behind the step
        self.page.insert("answer", f"{line}\n", "step")
        self.page.mark_gravity("answer", "left")
        self.page.configure(state="disabled")
        self.page.see("end")

    def source(self, source: dict[str, Any]) -> None:
        """One line that opens its file, and what stands there."""
        self._links += 1
        link = f"link{self._links}"
        self.page.tag_bind(link, "<Button-1>", lambda _: self.open(source["file"]))
        self.page.tag_bind(link, "<Enter>", lambda _: self.page.configure(cursor="hand2"))
        self.page.tag_bind(link, "<Leave>", lambda _: self.page.configure(cursor="arrow"))
        self.write(f"[{source['n']}] {source_line(source)}\n", "source", link)
        if source["quote"]:
            self.write(f"{source['quote']}\n", "quote")

    def open(self, file: str) -> None:
        """Show the file of a source with the system's program."""
        path = locate(self.folders, file)
        try:
            if path is None:
                raise FileNotFoundError
            open_file(path)
        except OSError:
            self.foot.configure(text=f"{file} cannot be opened.")

    def write(self, text: str, *tags: str) -> None:
        """Add text to the page; what is at the end stays in view."""
        self.page.configure(state="normal")
        self.page.insert("end", text, tags)
        self.page.configure(state="disabled")
        self.page.see("end")

    # The server -------------------------------------------------------------------------------

    def heard(self, type: str, data: dict[str, Any]) -> None:
        """An event that belongs to no question."""
        if type == "ready":
            self.folders = data["folders"]
            self.foot.configure(text=f"{data['library']} · Manole {data['version']}")
        elif type == "progress":
            text, percent = progress_line(data)
            self.foot.configure(text=text)
            if percent is None:
                self.bar.pack_forget()
            else:
                self.bar.configure(value=percent)
                self.bar.pack(side="right")
        elif type == "end":
            self.foot.configure(text="Manole has ended.")
            self.button.configure(state="disabled")
            self.write(f"\n{data['text']}", "failure")

    def _begin_conversation(self) -> None:
        """Follow-up questions need one; without it each question stands alone."""

        def begun(future: Future[dict[str, Any]]) -> None:
            if future.exception() is None:
                self.conversation = future.result()["id"]

        asked = self.client.request("conversation_create")
        asked.answer.add_done_callback(self._later(begun))

    def _later(self, work: Callable[..., None]) -> Callable[..., None]:
        """`work`, done by the window's own thread: Tk takes no calls from others."""
        return lambda *arguments: self.todo.put(lambda: work(*arguments))

    def _work(self) -> None:
        self.root.after(EVERY, self._work)
        while not self.todo.empty():
            self.todo.get()()

    def close(self) -> None:
        """End the server and the window."""
        self.root.withdraw()
        self.client.close()
        self.root.destroy()


def main() -> None:
    """Ask for a folder if none was named, and open the window."""
    root = tk.Tk()
    folder = sys.argv[1] if len(sys.argv) > 1 else filedialog.askdirectory(title="Which folder?")
    if folder:
        Window(root, folder)
        root.mainloop()


if __name__ == "__main__":
    main()
