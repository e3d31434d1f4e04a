import { useEffect } from 'react'

/** Has the browser ask before the page is left while something is being saved. */
export function useLeaveWarning(isSaving: boolean): void {
  useEffect(() => {
    if (!isSaving) return
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isSaving])
}
