import type { ReactNode } from 'react'

type Family = 'agent' | 'model' | 'tool' | 'retrieval' | 'flow' | 'other'

const FAMILY_OF: Readonly<Record<string, Family>> = {
  agent: 'agent',
  llm: 'model',
  completion: 'model',
  chat: 'model',
  tool: 'tool',
  embedding: 'retrieval',
  query: 'retrieval',
  rerank: 'retrieval',
  workflow: 'flow',
  chain: 'flow',
}

/** Drawn in a square of 16 units; the shape alone tells the family. */
const SHAPES: Readonly<Record<Family, ReactNode>> = {
  agent: (
    <path d="M8 1.5v2M4.5 3.5h7a2 2 0 0 1 2 2v5a2 2 0 0 1-2 2h-7a2 2 0 0 1-2-2v-5a2 2 0 0 1 2-2zM6 7v1.5M10 7v1.5" />
  ),
  model: <path d="M2.5 3.5h11v7.5h-6L4.5 13.5V11h-2zM5 6.2h6M5 8.4h4" />,
  tool: <path d="M10.2 2.3a3.4 3.4 0 0 0-3.6 4.8L2.4 11.3l2.3 2.3 4.2-4.2a3.4 3.4 0 0 0 4.6-4l-2 2-2-.6-.6-2z" />,
  retrieval: <path d="M7 2.5a4.5 4.5 0 1 0 0 9 4.5 4.5 0 0 0 0-9zM10.3 10.3l3.4 3.4" />,
  flow: <path d="M3 2.5h4v3.500H3zM9 10h4v3.500H9zM5 6v5.800h4" />,
  other: <path d="M8 4.500a3.500 3.500 0 1 0 0 7 3.500 3.500 0 0 0 0-7z" />,
}

export const familyOf = (type: string): Family => FAMILY_OF[type] ?? 'other'

export const colourOf = (type: string): string => `var(--type-${familyOf(type)})`

/** The icon of a type of span, in its colour. */
export const TypeIcon = ({ type }: { type: string }): ReactNode => (
  <svg
    width="16"
    height="16"
    viewBox="0 0 16 16"
    fill="none"
    stroke={colourOf(type)}
    strokeWidth="1.5"
    strokeLinecap="round"
    strokeLinejoin="round"
    style={{ flex: 'none' }}
    role="img"
    aria-label={type}
  >
    <title>{type}</title>
    {SHAPES[familyOf(type)]}
  </svg>
)
