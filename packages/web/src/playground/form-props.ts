export interface FormProps<T> {
  /** Of all forms on the page, whose this is. */
  name: string
  value: T
  onChange: (value: T) => void
  /** Runs everything, by a key. */
  onRun: () => void
}
