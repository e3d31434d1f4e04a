import { type ChangeEvent, useState } from 'react'

/** A field whose value is in the address, which follows a moment later: until it is left, it shows what is typed. */
export function useTyped(inAddress: string, change: (text: string) => void) {
  const [typed, setTyped] = useState<string>()
  return {
    value: typed ?? inAddress,
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => {
      setTyped(target.value)
      change(target.value)
    },
    onBlur: () => setTyped(undefined),
  }
}
