import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { hash } from 'node:crypto';
import type { Observable } from 'rxjs';
import { tap } from 'rxjs';
import { accessOf } from './access';
import type { FieldErrorCode } from './problem';
import { fieldError, Problem } from './problem';
import { fieldsOfBody } from './validation/validation.pipe';

const HEADER = 'Idempotency-Key';

/**
 * Reads the `Idempotency-Key` of a request for the unit of work, which stores the response in the
 * transaction of the change. Marks a stored response with `Idempotent-Replayed`.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const key = request.headers['idempotency-key'];
    if (key === undefined) return next.handle();
    if (typeof key !== 'string' || !/^[!-~]{1,255}$/.test(key)) {
      throw invalid('invalid_key', 'must be 1 to 255 visible ASCII characters');
    }
    const { unrepeatable } = request.routeOptions.config;
    if (unrepeatable) {
      throw invalid('unrepeatable', 'is not allowed: the response must not be stored');
    }
    const path = request.url.replace(/\/(?=\?|$)/, '');
    // `fieldsOfBody` limits the depth, because JSON.stringify recurses and would overflow the stack.
    const fingerprint = hash('sha256', JSON.stringify([path, fieldsOfBody(request.body)]));
    const idempotency = { tokenId: accessOf(request).tokenId, key, fingerprint };
    request.idempotency = idempotency;
    return next.handle().pipe(
      tap(() => {
        if (!request.idempotency?.replayed) return;
        http.getResponse<FastifyReply>().header('Idempotent-Replayed', 'true');
      }),
    );
  }
}

const invalid = (code: FieldErrorCode, text: string): Problem =>
  Problem.invalid([fieldError('header', HEADER, code, text)]);
