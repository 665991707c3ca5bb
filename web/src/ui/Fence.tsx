import { Component, type ReactNode } from "react";
import { say } from "../language";
import { type Action, Notice } from "./Notice";
import styles from "./ui.module.css";

interface FenceProps {
  /** What is shown within; another one is tried anew. */
  of: string;
  /** What can be done about it. */
  way: Action;
  children: ReactNode;
}

/** What fails within is told in its place, and leaves the rest of the page as it is. */
export class Fence extends Component<FenceProps, { broken: boolean }> {
  override state = { broken: false };

  static getDerivedStateFromError() {
    return { broken: true };
  }

  override componentDidUpdate(before: FenceProps) {
    if (this.state.broken && before.of !== this.props.of) this.setState({ broken: false });
  }

  override render() {
    if (!this.state.broken) return this.props.children;
    return (
      <div className={styles.fence}>
        <Notice kind="bad" title={say.ui.broken} action={this.props.way} />
      </div>
    );
  }
}
