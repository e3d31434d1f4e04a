import { useEffect } from 'react'

/** Before the page is left while something is being saved, the browser asks. */
export function useLeaveWarning(isSaving: boolean): void {
  useEffect(() => {
    if (!isSaving) return
    const ask = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isSaving])
}
