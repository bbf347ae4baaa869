%% -*- erlang -*-
main([Asked]) ->
    Cells = [lists:flatten(io_lib:format("\"~b~b\"", [X, Y])) || X <- lists:seq(0, 7), Y <- lists:seq(0, 7)],
    [Free | _] = [Cell || Cell <- Cells, string:find(Asked, Cell) =:= nomatch],
    case string:find(Asked, "init") of
        nomatch -> io:format("{\"move\":~s}", [Free]);
        _ -> io:put_chars("{\"2\":{\"point\":\"14\",\"orientation\":\"vertical\"},\"3\":{\"point\":\"05\",\"orientation\":\"vertical\"},\"4\":{\"point\":\"10\",\"orientation\":\"vertical\"},\"5\":{\"point\":\"00\",\"orientation\":\"vertical\"}}")
    end.
