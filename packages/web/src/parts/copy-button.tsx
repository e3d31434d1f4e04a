import { type ComponentProps, type ReactNode, useState } from 'react'
import { Button } from './controls.tsx'

interface CopyButtonProps extends Omit<ComponentProps<typeof Button>, 'onClick'> {
  text: string
}

/** Copies a text. Browsers allow that to pages over HTTPS or from this computer; on others there is no such button. */
export function CopyButton({ text, children = 'Copy', ...rest }: CopyButtonProps): ReactNode {
  const [copied, setCopied] = useState<string>()
  if (!isSecureContext) return null
  const copy = (): void =>
    void navigator.clipboard.writeText(text).then(
      () => setCopied(text),
      // The user who forbade it knows.
      () => undefined,
    )
  return (
    <Button {...rest} onClick={copy}>
      {copied === text ? 'Copied' : children}
    </Button>
  )
}
