import type { FastifyReply } from 'fastify'

/** Sends what is JSON text already. */
export const sendJsonText = (reply: FastifyReply, text: string): FastifyReply =>
  reply.code(200).type('application/json; charset=utf-8').send(text)
