import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import { ApiError, change } from "../api/client";
import { say } from "../language";
import { Button } from "../ui/Button";
import { Notice } from "../ui/Notice";
import styles from "./Shell.module.css";

/** Asks for the token of a server that demands one. The server keeps it in a cookie. */
export function TokenForm() {
  const queries = useQueryClient();
  const [token, setToken] = useState("");
  const [error, setError] = useState<string | null>(null);
  const enter = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await change("POST", "/session", { token });
      await queries.invalidateQueries();
    } catch (failed) {
      const wrong = failed instanceof ApiError && failed.status === 401;
      setError(wrong ? say.app.token.wrong : String((failed as Error).message));
    }
  };
  return (
    <main className={styles.alone}>
      <form className={styles.token} onSubmit={enter}>
        <h1>Manole</h1>
        <label>
          {say.app.token.label}
          <input
            type="password"
            autoComplete="current-password"
            value={token}
            onChange={(event) => setToken(event.target.value)}
            required
          />
        </label>
        {error && <Notice kind="bad" title={error} />}
        <Button type="submit" kind="primary">
          {say.app.token.enter}
        </Button>
      </form>
    </main>
  );
}
