/** The Material components in use, and their tags for React: it takes custom elements as they are. */
import "@m3e/web/button";
import "@m3e/web/form-field";
import "@m3e/web/icon-button";
import "@m3e/web/menu";
import "@m3e/web/nav-bar";
import "@m3e/web/nav-rail";
import "@m3e/web/progress-indicator";
import type { DetailedHTMLProps, HTMLAttributes } from "react";

type Tag<Attributes = object> = DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> & Attributes;

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
      "m3e-button": Tag<ButtonAttributes>;
      "m3e-icon-button": Tag<Omit<ButtonAttributes, "variant"> & { variant?: "standard" | "tonal" | "filled" }>;
      "m3e-form-field": Tag<{ variant?: "outlined" | "filled"; "hide-subscript"?: "always" | "auto" | "never" }>;
      "m3e-nav-rail": Tag<{ mode?: "compact" | "expanded" | "auto" }>;
      "m3e-nav-bar": Tag<{ mode?: "compact" | "expanded" | "auto" }>;
      "m3e-nav-item": Tag<{ selected?: boolean; href?: string }>;
      "m3e-menu": Tag<{ "position-x"?: "before" | "after"; "position-y"?: "above" | "below" }>;
      "m3e-menu-item": Tag<{ disabled?: boolean }>;
      "m3e-menu-item-radio": Tag<{ checked?: boolean }>;
      "m3e-menu-trigger": Tag<{ for: string }>;
      "m3e-linear-progress-indicator": Tag<{ value?: number; max?: number; mode?: "determinate" | "indeterminate" }>;
      "m3e-circular-progress-indicator": Tag<{ indeterminate?: boolean; value?: number }>;
    }
  }
}
