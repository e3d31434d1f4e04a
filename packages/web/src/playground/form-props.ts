import type { Json } from '../api/registry.ts'

export interface FormProps<T extends Json = Json> {
  /** Of all forms on the page, whose this is. */
  name: string
  value: T
  onChange: (value: T) => void
  /** Runs everything, by a key. */
  onRun: () => void
}
