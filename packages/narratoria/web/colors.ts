/**
 * The colours of both schemes as CSS, made from one seed the way Material's own tools do it. `npm run colors` writes
 * them to `src/theme/colors.css`; a test compares the two.
 */
import {
  argbFromHex,
  type DynamicColor,
  Hct,
  hexFromArgb,
  MaterialDynamicColors,
  SchemeTonalSpot,
} from "@material/material-color-utilities";

const SEED = "#673AB7";

const ROLES = [
  "primary",
  "onPrimary",
  "primaryContainer",
  "onPrimaryContainer",
  "secondary",
  "onSecondary",
  "secondaryContainer",
  "onSecondaryContainer",
  "tertiary",
  "onTertiary",
  "tertiaryContainer",
  "onTertiaryContainer",
  "error",
  "onError",
  "errorContainer",
  "onErrorContainer",
  "background",
  "onBackground",
  "surface",
  "onSurface",
  "surfaceVariant",
  "onSurfaceVariant",
  "surfaceDim",
  "surfaceBright",
  "surfaceContainerLowest",
  "surfaceContainerLow",
  "surfaceContainer",
  "surfaceContainerHigh",
  "surfaceContainerHighest",
  "outline",
  "outlineVariant",
  "inverseSurface",
  "inverseOnSurface",
  "inversePrimary",
  "shadow",
  "scrim",
] as const;

export function renderColors(): string {
  const [dark, light] = [declarations(true), declarations(false)];
  return [
    `/* Made by \`npm run colors\` from ${SEED}; change web/colors.ts instead. */`,
    `:root {\n  color-scheme: dark;\n${dark}\n}`,
    `:root[data-scheme="light"] {\n  color-scheme: light;\n${light}\n}`,
    `@media (prefers-color-scheme: light) {\n${indent(`:root[data-scheme="system"] {\n  color-scheme: light;\n${light}\n}`)}\n}\n`,
  ].join("\n\n");
}

function declarations(isDark: boolean): string {
  const scheme = new SchemeTonalSpot(Hct.fromInt(argbFromHex(SEED)), isDark, 0);
  const colour = (role: (typeof ROLES)[number]): DynamicColor => MaterialDynamicColors[role];
  return ROLES.map((role) => `  ${variableName(role)}: ${hexFromArgb(colour(role).getArgb(scheme))};`).join("\n");
}

function indent(text: string): string {
  return text.replaceAll(/^/gm, "  ");
}

function variableName(role: string): string {
  return `--md-sys-color-${role.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
