class Bot {
    static void Main(string[] args) {
        if (args[0].Contains("init")) {
            System.Console.WriteLine("{\"2\":{\"point\":\"14\",\"orientation\":\"vertical\"},\"3\":{\"point\":\"05\",\"orientation\":\"vertical\"},\"4\":{\"point\":\"10\",\"orientation\":\"vertical\"},\"5\":{\"point\":\"00\",\"orientation\":\"vertical\"}}");
            return;
        }
        for (int i = 0; ; i++) {
            string cell = "\"" + i / 8 + i % 8 + "\"";
            if (!args[0].Contains(cell)) {
                System.Console.WriteLine("{\"move\":" + cell + "}");
                return;
            }
        }
    }
}
