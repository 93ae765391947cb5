/** What a place shows while there is nothing in it. */
import type { ReactNode } from "react";
import { Icon } from "../icon.tsx";

interface EmptyStateProps {
  icon: string;
  title: string;
  text: string;
  children?: ReactNode;
}

export function EmptyState({ icon, title, text, children }: EmptyStateProps) {
  return (
    <div className="empty-state">
      <Icon name={icon} />
      <h2>{title}</h2>
      <p>{text}</p>
      {children}
    </div>
  );
}
