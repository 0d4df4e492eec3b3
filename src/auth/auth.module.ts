import { Module } from '@nestjs/common';
import { Authenticator } from './authenticator';
import { Door } from './door.guard';
import { TokensController } from './tokens.controller';
import { TokensService } from './tokens.service';

@Module({
  controllers: [TokensController],
  providers: [Authenticator, Door, TokensService],
  exports: [TokensService],
})
export class AuthModule {}
