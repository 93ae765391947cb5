/** A few buttons of which one is chosen, as Material's connected group has them. */
interface SegmentsProps<T extends string> {
  label: string;
  options: readonly { value: T; label: string }[];
  chosen: NoInfer<T>;
  choose: (value: NoInfer<T>) => void;
}

export function Segments<T extends string>({ label, options, chosen, choose }: SegmentsProps<T>) {
  return (
    <div className="segments" role="group" aria-label={label}>
      {options.map((option) => (
        <button
          key={option.value}
          type="button"
          aria-pressed={option.value === chosen}
          onClick={() => choose(option.value)}
        >
          {option.label}
        </button>
      ))}
    </div>
  );
}
