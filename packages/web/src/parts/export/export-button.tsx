import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { Button, Failure } from '../controls.tsx'
import { FileParts } from './file-parts.ts'
import { saveFile } from './save-file.ts'

/** An export that goes on. */
export interface Exporting {
  file: FileParts
  signal: AbortSignal
  /** Says how far it is, such as `200 of 1,000`. */
  tell: (progress: string) => void
}

interface ExportButtonProps {
  label: string
  title?: string
  /** Of the file. */
  name: string
  type: string
  write: (exporting: Exporting) => Promise<void>
  /** What is said before the reason if it fails. */
  failure: string
}

/** Saves a file that takes a while to be read. Meanwhile the button says how far that is, and stops it. */
export function ExportButton({ label, title, name, type, write, failure }: ExportButtonProps): ReactNode {
  const [progress, setProgress] = useState('')
  const [reading, setReading] = useState<AbortController>()
  useEffect(() => () => reading?.abort(), [reading])
  const save = useMutation({
    mutationFn: async (signal: AbortSignal) => {
      const file = new FileParts()
      await write({ file, signal, tell: setProgress })
      signal.throwIfAborted()
      return file.whole(type)
    },
    onSuccess: content => saveFile(content, name),
  })
  const press = (): void => {
    if (save.isPending) {
      reading?.abort()
      return
    }
    const next = new AbortController()
    setReading(next)
    setProgress('')
    save.mutate(next.signal)
  }
  return (
    <>
      <Button onClick={press} title={save.isPending ? undefined : title}>
        {save.isPending ? `Stop export${progress && ` (${progress})`}` : label}
      </Button>
      {save.error && save.error.name !== 'AbortError' && <Failure what={failure} error={save.error} />}
    </>
  )
}
