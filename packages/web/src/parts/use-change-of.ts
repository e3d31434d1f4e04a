import { useNavigate } from '@tanstack/react-router'

interface Options {
  replace?: boolean
}

/** Changes some members of the address. Back undoes it, unless the change replaces what was before. */
export type ChangeOf<Search> = (changes: Partial<Search>, options?: Options) => void

/** What changes the address of the screen that is shown. */
export function useChangeOf<Search extends object>({ replace: byDefault = false }: Options = {}): ChangeOf<Search> {
  const navigate = useNavigate()
  return (changes, { replace = byDefault } = {}) =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, ...changes }), replace })
}
