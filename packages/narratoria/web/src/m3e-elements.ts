/** The Material components in use, and their tags for React: it takes custom elements as they are. */
import "@m3e/web/button";
import "@m3e/web/form-field";
import "@m3e/web/icon-button";
import "@m3e/web/menu";
import "@m3e/web/nav-bar";
import "@m3e/web/nav-rail";
import "@m3e/web/progress-indicator";
import type { DetailedHTMLProps, HTMLAttributes } from "react";

type Element<Attributes = object> = DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> & Attributes;

interface ButtonAttributes {
  variant?: "text" | "tonal" | "filled" | "outlined" | "elevated";
  size?: "extra-small" | "small" | "medium" | "large";
  disabled?: boolean;
  href?: string;
}

declare module "react" {
  // The way React's own types are extended.
  namespace JSX {
    interface IntrinsicElements {
      "m3e-button": Element<ButtonAttributes>;
      "m3e-icon-button": Element<Omit<ButtonAttributes, "variant"> & { variant?: "standard" | "tonal" | "filled" }>;
      "m3e-form-field": Element<{ variant?: "outlined" | "filled"; "hide-subscript"?: "always" | "auto" | "never" }>;
      "m3e-nav-rail": Element<{ mode?: "compact" | "expanded" | "auto" }>;
      "m3e-nav-bar": Element<{ mode?: "compact" | "expanded" | "auto" }>;
      "m3e-nav-item": Element<{ selected?: boolean; href?: string }>;
      "m3e-menu": Element<{ "position-x"?: "before" | "after"; "position-y"?: "above" | "below" }>;
      "m3e-menu-item": Element<{ disabled?: boolean }>;
      "m3e-menu-item-radio": Element<{ checked?: boolean }>;
      "m3e-menu-trigger": Element<{ for: string }>;
      "m3e-linear-progress-indicator": Element<{ value?: number; max?: number; mode?: "determinate" | "indeterminate" }>;
      "m3e-circular-progress-indicator": Element<{ indeterminate?: boolean; value?: number }>;
    }
  }
}
